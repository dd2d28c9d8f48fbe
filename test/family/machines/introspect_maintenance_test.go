package machines_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// Resource servers are told of tokens and keys in every mode of maintenance, whichever
// way they ask.
func TestIntrospectionDuringMaintenance(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		rs := oauthRegister(ada, "rs", P{"scopes": []string{"tokens:introspect", "api_keys:verify"}})
		own := rs.ask(h, "", nil).OK().String("access_token")
		key := ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"users:read"}}).OK().String("key")
		form, body := url.Values{"token": {own}}.Encode(), `{"token":"`+own+`"}`
		execute := func(command string) string { return `{"command":"` + command + `","params":` + body + `}` }
		ask := func(path, sent string, by func(*http.Request)) (status int, active bool) {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(sent))
			r.Header.Set("Content-Type", "application/json")
			if sent == form {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			by(r)
			w := httptest.NewRecorder()
			h.Handler.ServeHTTP(w, r)
			var answer struct {
				Active bool
				Data   struct{ Active, Valid bool }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatalf("%s answers %d %s", path, w.Code, w.Body)
			}
			return w.Code, answer.Active || answer.Data.Active || answer.Data.Valid
		}
		nobody := func(*http.Request) {}
		basic := func(r *http.Request) { r.SetBasicAuth(rs.slug, rs.secret) }
		bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+own) }
		for _, mode := range []string{"off", "read_only", "closed"} {
			h.Superadmin().Do("SYSTEM.SET_MAINTENANCE", P{"mode": mode}).OK()
			for _, way := range []struct {
				path, sent string
				by         func(*http.Request)
			}{
				{"/api/v1/execute", execute("M2M.INTROSPECT"), nobody},
				{"/api/m2m/introspect", body, nobody},
				{"/api/m2m/introspect", form, nobody},
				{"/api/v1/execute", execute("OAUTH.INTROSPECT"), bearer},
				{"/oauth/introspect", body, bearer},
				{"/oauth/introspect", form, bearer},
				{"/oauth/introspect", form, basic},
				{"/api/v1/execute", `{"command":"API_KEY.VERIFY","params":{"key":"` + key + `"}}`, bearer},
			} {
				if status, active := ask(way.path, way.sent, way.by); status != http.StatusOK || !active {
					t.Errorf("%s: %s with %.60s: %d, active: %v", mode, way.path, way.sent, status, active)
				}
			}
		}
	})
}
