package live_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Who may write flows learns the secret, by which a stock library verifies what their server
// is asked; who may only read them does not.
func TestServersVerifyWhatTheyAreAsked(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := asking(t, dsn)
		root := h.Superadmin()
		h.SignUp("alice@example.com")
		var secret string
		url, asked := answering(t, func(http.ResponseWriter, *http.Request) {})
		server := verifying(t, &secret)
		made := root.Do("FLOW.CREATE", P{
			"name": "asks", "trigger": "login", "scope": "instance",
			"nodes": line(hook("ask", url, "deny"))["nodes"], "edges": line(hook("ask", url, "deny"))["edges"],
		}).OK()
		secret = made.String("signing_secret")
		moved := line(hook("ask", server, "deny"))
		root.Do("FLOW.UPDATE", P{"name": "asks", "scope": "instance", "nodes": moved["nodes"], "edges": moved["edges"]}).OK()
		root.Do("FLOW.ENABLE", P{"name": "asks", "scope": "instance", "force": true}).OK()
		login(h, "alice@example.com").OK()
		if again := root.Do("FLOW.UPDATE", P{"name": "asks", "scope": "instance"}).OK().String("signing_secret"); again != secret {
			t.Error("the secret is another one than FLOW.CREATE answered")
		}
		if root.Do("FLOW.GET", P{"name": "asks", "scope": "instance"}).OK().Has("signing_secret") {
			t.Error("who reads the flow is shown the secret")
		}
		secret = root.Do("FLOW.CREATE", P{"name": "other", "trigger": "login", "nodes": moved["nodes"], "edges": moved["edges"]}).OK().String("signing_secret")
		login(h, "alice@example.com").Fails(fault.FlowBlocked)
		quiet := line(P{"id": "ok", "type": "allow"})
		if root.Do("FLOW.UPDATE", P{"name": "other", "nodes": quiet["nodes"], "edges": quiet["edges"]}).OK().Has("signing_secret") {
			t.Error("a flow that asks nobody has a secret")
		}
		if asked.Load() != 0 {
			t.Error("the server of an older version was asked")
		}
	})
}

// verifying is a server that lets in whatever is signed with a secret.
func verifying(t *testing.T, secret *string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		by, err := standardwebhooks.NewWebhook(*secret)
		var asked struct {
			Type string `json:"type"`
			Data P      `json:"data"`
		}
		if err != nil || by.VerifyIgnoringTimestamp(body, r.Header) != nil || json.Unmarshal(body, &asked) != nil || asked.Type != "flow.check" || asked.Data["trigger"] != "login" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
