package httpapi_test

import (
	"net/http"
	"testing"

	"gatehouse.internal/domain/fault"
)

// A client pushes an authorization request as a form, and gets 201 with its request_uri
// (RFC 9126 section 2).
func TestPushedForms(t *testing.T) {
	t.Parallel()
	app := issues(`{"request_uri":"urn:x","expires_in":90}`)
	const asked = "client_id=wiki&client_secret=s&response_type=code&state=a+b&max_age=5&unknown=1"
	w := do(start(t, bench(app)), formTo("/oauth/par", asked))
	if w.Code != http.StatusCreated || w.Body.String() != `{"request_uri":"urn:x","expires_in":90}` || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("the answer = %d %s", w.Code, w.Body)
	}
	const want = `{"client_id":"wiki","client_secret":"s","response_type":"code","state":"a b","max_age":5}`
	if got := app.last(t); got.Command != "OAUTH.REQUEST_PUSH" || string(got.Params) != want {
		t.Errorf("asked %s %s", got.Command, got.Params)
	}
	for name, c := range map[string]struct {
		body    string
		failure *fault.Error
		status  int
		word    string
	}{
		"a request_uri":    {asked + "&request_uri=urn:x", nil, http.StatusBadRequest, "invalid_request"},
		"twice":            {asked + "&state=c", nil, http.StatusBadRequest, "invalid_request"},
		"nobody":           {"response_type=code", nil, http.StatusUnauthorized, "invalid_client"},
		"a wrong secret":   {asked, fault.New(fault.Auth, "invalid_client: no"), http.StatusUnauthorized, "invalid_client"},
		"a wrong scope":    {asked, fault.New(fault.Validation, "invalid_scope: no"), http.StatusBadRequest, "invalid_scope"},
		"a wrong address":  {asked, fault.New(fault.Validation, "invalid_request: no"), http.StatusBadRequest, "invalid_request"},
		"a bad object":     {asked + "&request=x", fault.New(fault.Validation, "invalid_request_object: no"), http.StatusBadRequest, "invalid_request_object"},
		"an unsigned one":  {asked + "&request=x", fault.New(fault.Validation, "request_not_supported: no"), http.StatusBadRequest, "request_not_supported"},
		"too many at once": {asked, fault.New(fault.RateLimited, "no"), http.StatusTooManyRequests, "temporarily_unavailable"},
	} {
		app := issues(`{}`)
		if c.failure != nil {
			app = fails(c.failure)
		}
		oauthRefused(t, do(start(t, bench(app)), formTo("/oauth/par", c.body)), c.status, c.word, name)
	}
}
