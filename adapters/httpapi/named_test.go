package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
)

// postTo returns a valid request for a path; headers come in pairs and override.
func postTo(path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestNamedCommand(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/execute/USER.LIST"
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, c := range map[string]struct {
		path, body string
		header     []string
		// params are those that the command gets; status and text are those of a refusal.
		params string
		dryRun bool
		status int
		text   string
	}{
		"parameters":               {body: `{"limit":5}`, params: `{"limit":5}`},
		"none":                     {body: "{}", params: "{}"},
		"no body":                  {header: []string{"Content-Type", ""}, params: "{}"},
		"an empty JSON body":       {params: "{}"},
		"names of the envelope":    {body: `{"command":"A.B","params":{},"dry_run":true}`, params: `{"command":"A.B","params":{},"dry_run":true}`},
		"a dry run":                {body: "{}", header: []string{"Dry-Run", "true"}, params: "{}", dryRun: true},
		"an unclear dry run":       {body: "{}", header: []string{"Dry-Run", "1"}, status: http.StatusBadRequest, text: "Dry-Run"},
		"a query":                  {path: path + "?dry_run=true", body: "{}", status: http.StatusBadRequest, text: "no query parameters"},
		"an array":                 {body: "[]", status: http.StatusBadRequest, text: "must be an object"},
		"a name twice":             {body: `{"a":1,"a":2}`, status: http.StatusBadRequest, text: "duplicate name"},
		"two values":               {body: `{} {}`, status: http.StatusBadRequest, text: "more data"},
		"a deep body":              {body: deep, status: http.StatusBadRequest, text: "nested deeper"},
		"a body of another type":   {body: "a=1", header: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: http.StatusUnsupportedMediaType, text: "application/json"},
		"a body without a type":    {body: "{}", header: []string{"Content-Type", ""}, status: http.StatusUnsupportedMediaType, text: "application/json"},
		"more than a name":         {path: path + "/more", body: "{}", status: http.StatusNotFound, text: "unknown path"},
		"an encoded path":          {path: "/api/v1/%65xecute/USER.LIST", body: "{}", status: http.StatusNotFound, text: "unknown path"},
		"two keys of idempotency":  {body: "{}", header: []string{"Idempotency-Key", "a b"}, status: http.StatusBadRequest, text: "Idempotency-Key"},
		"a proof without contents": {body: "{}", header: []string{"DPoP", ""}, status: http.StatusUnauthorized, text: "invalid_dpop_proof"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.path == "" {
				c.path = path
			}
			app := &scripted{}
			r := postTo(c.path, c.body, c.header...)
			if r.Header.Get("Content-Type") == "" {
				r.Header.Del("Content-Type")
			}
			w := do(start(t, bench(app)), r)
			if c.status != 0 {
				if w.Code != c.status || !strings.Contains(w.Body.String(), c.text) || app.calls() != 0 {
					t.Errorf("answer = %d %s after %d calls, want %d with %q", w.Code, w.Body, app.calls(), c.status, c.text)
				}
				return
			}
			if w.Code != http.StatusOK {
				t.Fatalf("answer = %d %s", w.Code, w.Body)
			}
			got := app.last(t)
			if got.Command != "USER.LIST" || string(got.Params) != c.params || got.DryRun != c.dryRun || got.Path != path {
				t.Errorf("call = %s %s, dry run %v at %s", got.Command, got.Params, got.DryRun, got.Path)
			}
		})
	}
}

func TestDryRunByHeader(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	if w := do(start(t, bench(app)), post(`{"command":"A.B"}`, "Dry-Run", "true")); w.Code != http.StatusOK || !app.last(t).DryRun {
		t.Errorf("answer = %d, dry run %v", w.Code, app.last(t).DryRun)
	}
}

func TestNamedCommandByGet(t *testing.T) {
	t.Parallel()
	w := do(start(t, bench(&scripted{})), get("/api/v1/execute/USER.LIST"))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("answer = %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// Where to get a token is said of the endpoint that all commands share.
func TestChallengeOfANamedCommand(t *testing.T) {
	t.Parallel()
	w := do(start(t, bench(fails(fault.New(fault.Auth, "no")))), postTo("/api/v1/execute/A.B", "{}"))
	if got := w.Header().Get("WWW-Authenticate"); !strings.Contains(got, `/.well-known/oauth-protected-resource/api/v1/execute"`) {
		t.Errorf("WWW-Authenticate = %q", got)
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/v1/openapi.json":             {200, `"/api/v1/execute/USER.ME"`},
		"/api/v1/openapi.json?family=USER": {200, `"operationId":"userMe"`},
		"/api/v1/openapi.json?family=USSR": {404, "did you mean USER?"},
		"/api/v1/schemas.json":             {200, `"user.created"`},
	} {
		first := do(handler, get(path))
		if first.Code != want.status || !strings.Contains(first.Body.String(), want.text) {
			t.Errorf("GET %s = %d %s, want %d with %s", path, first.Code, first.Body, want.status, want.text)
		}
		if want.status != http.StatusOK {
			continue
		}
		if again := do(handler, get(path, "If-None-Match", first.Header().Get("ETag"))); again.Code != http.StatusNotModified {
			t.Errorf("GET %s again = %d", path, again.Code)
		}
	}
}
