package machines_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// Requirements of the standards on single requests, as their texts have them.

// printable are the characters of errors and of their descriptions (RFC 6749 section 4.1.2.1).
var printable = regexp.MustCompile(`^[\x20-\x21\x23-\x5B\x5D-\x7E]+$`)

// An answer keeps the query that an address was registered with and the state, has an error where a
// parameter is missing, and says what went wrong in ASCII; a client is told what it got of the scopes
// that it asked for, and gets none where it asked for none (RFC 6749 sections 3.1.1, 3.1.2, 3.3, 4.1.2
// and 4.1.2.1).
func TestAnswersToRequests(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		const tenant = "https://wiki.example.com/callback?tenant=7&code=own"
		oauthRegister(ada, "tenant", P{"type": "web", "redirect_urls": []string{tenant}})
		opened := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": "tenant", "redirect_uri": tenant, "scope": "openid"})).OK()
		to := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).OK().String("redirect_to")
		if rest, kept := strings.CutPrefix(to, tenant+"&"); !kept || !strings.HasPrefix(rest, "code=") || strings.Contains(to, challengeOf(verifier)) {
			t.Errorf("the answer goes to %s", to)
		}
		const state = "a b&c=d+%41\"<ä>"
		opened = ada.Do("OAUTH.AUTHORIZE", request(P{"state": state, "scope": "openid apps:write"})).OK()
		back := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}))
		if tokens := app.redeem(h, back.Get("code")).OK(); back.Get("state") != state || tokens.String("scope") != "openid" {
			t.Errorf("the state %q, and the scopes %s", back.Get("state"), tokens.String("scope"))
		}

		for want, more := range map[string]P{
			oauth.InvalidRequest:          {"response_type": nil},
			oauth.UnsupportedResponseType: {"response_type": "cöde\"\\"},
			oauth.InvalidScope:            {"scope": "ä\"\\\n"},
			oauth.RequestNotSupported:     {"request": "ä.\".\\"},
		} {
			back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(more)))
			if back.Get("error") != want || !printable.MatchString(back.Get("error_description")) {
				t.Errorf("%v: %v, want %s", more, back, want)
			}
		}
		if back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"claims": `{"ä":"\`}))); !printable.MatchString(back.Get("error_description")) {
			t.Errorf("claims that are none: %v", back)
		}
		if tokens := app.redeem(h, codeOf(t, ada, P{"scope": nil})).OK(); tokens.Has("id_token") || tokens.Has("scope") && tokens.String("scope") != "" {
			t.Errorf("without scopes: %v", tokens.Data)
		}
	})
}

// Public clients have an address, and no secret; one that they send all the same is looked at (RFC
// 6749 sections 3.1.2.2, 4.1.3, 10.1 and 10.2).
func TestPublicClients(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		for _, kind := range []string{"spa", "native"} {
			app := oauthRegister(ada, kind, P{"type": kind, "redirect_urls": []string{callback}})
			if app.secret != "" {
				t.Errorf("%s: a secret was issued", kind)
			}
			code := codeOf(t, ada, P{"client_id": kind, "scope": "openid"})
			app.secret = "sk_live_made_up"
			app.redeem(h, code).Fails(fault.Auth)
			params := app.proves(P{"grant_type": "authorization_code", "code": code, "redirect_uri": callback, "code_verifier": verifier})
			delete(params, "client_secret")
			h.Anonymous().Do("OAUTH.TOKEN", params).OK()
			oauthRegister(ada, kind+"-nowhere", P{"type": kind})
			for _, address := range []any{nil, callback} {
				ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": kind + "-nowhere", "redirect_uri": address})).Fails(fault.Validation)
			}
		}
	})
}

// A refresh may ask for less, and the refresh token that comes with it is still good for all that
// was granted; the client authenticates, and has refresh tokens where it is registered for them (RFC
// 6749 section 6, RFC 9700 section 4.14.2).
func TestScopesOfRefreshes(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		first := app.redeem(h, codeOf(t, ada, nil)).OK()
		all := first.String("scope")
		less := h.Anonymous().Do("OAUTH.TOKEN", app.proves(P{"grant_type": "refresh_token", "refresh_token": first.String("refresh_token"), "scope": "openid email"})).OK()
		if less.String("scope") != "openid email" || oauthClaims(t, less)["scope"] != "openid email" {
			t.Errorf("a refresh for less: %v", less.Data)
		}
		h.Anonymous().Do("OAUTH.TOKEN", P{"grant_type": "refresh_token", "refresh_token": less.String("refresh_token"), "client_id": app.slug}).Fails(fault.Auth)
		if again := app.refresh(h, less.String("refresh_token")).OK(); again.String("scope") != all || oauthClaims(t, again)["scope"] != all {
			t.Errorf("the next refresh: %v, want the scopes %s", again.Data, all)
		}
		once := oauthRegister(ada, "once", P{"type": "web", "redirect_urls": []string{callback}, "grant_types": []string{"authorization_code"}})
		if tokens := once.redeem(h, codeOf(t, ada, P{"client_id": "once", "scope": "openid offline_access"})).OK(); tokens.Has("refresh_token") {
			t.Errorf("an app that is not registered for refresh tokens: %v", tokens.Data)
		}
	})
}

// credentials are one of each kind of text that somebody is let in by.
func credentials(t *testing.T, h *harness.Service, by *harness.Actor, app, television oauthMachine) map[string]string {
	t.Helper()
	tokens := app.redeem(h, codeOf(t, by, nil)).OK()
	made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
	return map[string]string{
		"code": codeOf(t, by, nil), "refresh token": tokens.String("refresh_token"), "device code": television.begin(h, nil).OK().String("device_code"),
		"request":       strings.TrimPrefix(h.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret})).OK().String("request_uri"), "urn:ietf:params:oauth:request_uri:"),
		"client secret": made.String("client_secret"), "registration access token": made.String("registration_access_token"), "access token": tokens.String("access_token"),
	}
}

// No credential can be guessed, and none stands in the database (RFC 6749 sections 10.3, 10.4 and
// 10.10, RFC 9126 section 7.1, RFC 8628 section 5.2).
func TestCredentialsAreRandomAndNotStored(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app, television := wiki(ada), tv(ada)
		registration(h, "open")
		// 256 bits in base64url; some have an identifier and a MAC beside them, which differ as well.
		const samples, random, beside = 12, 43, 32
		seen := map[string][]string{}
		for range samples {
			for kind, text := range credentials(t, h, ada, app, television) {
				seen[kind] = append(seen[kind], text)
			}
		}
		everything := storedTexts(t, h)
		if !slices.Contains(everything, app.slug) {
			t.Fatal("the client is not found in the database: the search proves nothing")
		}
		for kind, texts := range seen {
			differ := 0
			for at := range texts[0] {
				if slices.ContainsFunc(texts, func(text string) bool { return at >= len(text) || text[at] != texts[0][at] }) {
					differ++
				}
			}
			want := random
			if kind == "code" || kind == "refresh token" || kind == "device code" {
				want += beside
			}
			if differ < want {
				t.Errorf("%s: %d characters of %q differ, want %d", kind, differ, texts[0], want)
			}
			for _, text := range texts {
				if slices.ContainsFunc(everything, func(stored string) bool { return strings.Contains(stored, text) }) {
					t.Errorf("%s: it is stored as it is", kind)
					break
				}
			}
		}
	})
}

// storedTexts returns all values of all rows.
func storedTexts(t *testing.T, h *harness.Service) []string {
	t.Helper()
	db := h.Store.Database().Write
	read := func(query string) (rows [][]string) {
		found, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		columns, err := found.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for found.Next() {
			row, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := found.Scan(into...); err != nil {
				t.Fatal(err)
			}
			texts := make([]string, len(row))
			for i, value := range row {
				texts[i] = value.String
			}
			rows = append(rows, texts)
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	tables := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if _, err := db.ExecContext(t.Context(), tables); err != nil {
		tables = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	}
	var texts []string
	for _, table := range read(tables) {
		for _, row := range read(`SELECT * FROM "` + table[0] + `"`) {
			texts = append(texts, row...)
		}
	}
	return texts
}

// A request_uri is good for the client that pushed it, which may name this service in its assertion
// by its issuer, its token endpoint or this endpoint; what changed meanwhile is looked at again (RFC
// 9126 sections 2, 2.2 and 4).
func TestPushedRequestsOfClients(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}})
		holder := signing(here, ada, app)
		push := func(audience any) *harness.Reply {
			claims := assertion(here, "wiki")
			claims["aud"], claims["jti"] = audience, "pushed for "+strconv.Quote(audience.(string))
			return here.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_assertion_type": assertionType, "client_assertion": holder.Sign(P{"alg": "ES256"}, claims)}))
		}
		push("https://elsewhere.example.com").Fails(fault.Auth)
		push(harness.Issuer + "/oauth/authorize").Fails(fault.Auth)
		var last string
		for _, path := range []string{"", "/oauth/token", "/oauth/par"} {
			last = push(harness.Issuer + path).OK().String("request_uri")
		}
		there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", P{"client_id": "other", "request_uri": last}).Fails(fault.NotFound)
		there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": last}).OK()
		ada.Do("APP.UPDATE", P{"app_id": app.id, "redirect_urls": []string{callback + "/new"}}).OK()
		there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": last}).Fails(fault.Validation)
	})
}

// At every endpoint a parameter without a value counts as not sent, one that is unknown is ignored,
// and none is taken twice (RFC 6749 sections 3.1 and 3.2, RFC 8628 section 3.1), of which a known client of an
// authorization request is told. The pages take what
// is posted, too (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2).
func TestParametersAtEndpoints(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app, _ := wiki(ada), tv(ada)
		proof := url.Values{"client_id": {"wiki"}, "client_secret": {app.secret}}
		with := func(more url.Values) url.Values {
			for name, values := range proof {
				more[name] = values
			}
			return more
		}
		tokens := app.redeem(h, codeOf(t, ada, nil)).OK()
		sought := url.Values{}
		for name, value := range request(nil) {
			sought.Set(name, value.(string))
		}
		for path, form := range map[string]url.Values{
			"/oauth/device_authorization": {"client_id": {"tv"}, "scope": {"openid"}, "nonce": {""}, "resource": {""}},
			"/oauth/token":                with(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.String("refresh_token")}, "scope": {""}, "resource": {""}, "code": {""}}),
			"/oauth/revoke":               with(url.Values{"token": {"x"}, "token_type_hint": {""}}),
			"/oauth/par":                  with(url.Values{"response_type": {"code"}, "redirect_uri": {callback}, "code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "max_age": {""}, "prompt": {""}, "request_uri": {""}}),
			"/oauth/authorize":            merged(sought, url.Values{"max_age": {""}, "prompt": {""}, "request_uri": {""}, "response_mode": {""}}),
		} {
			form.Set("unknown", "1")
			for name, values := range form {
				if values[0] == "" {
					continue
				}
				twice := merged(form, url.Values{name: {values[0], values[0]}})
				w := send(h, http.MethodPost, path, twice)
				if path == "/oauth/authorize" {
					w = send(h, http.MethodGet, w.Header().Get("Location"), nil)
				}
				redirected := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), callback+"?error=invalid_request&")
				if redirected != (path == "/oauth/authorize" && name != "client_id") || !redirected && w.Code != http.StatusBadRequest {
					t.Errorf("%s: %s twice: %d %s", path, name, w.Code, w.Body)
				}
			}
			w := send(h, http.MethodPost, path, form)
			if path == "/oauth/authorize" {
				w = followed(t, h, w, "/oauth/authorize?", "/login")
			}
			if w.Code != http.StatusOK && w.Code != http.StatusCreated && w.Code != http.StatusSeeOther {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		followed(t, h, send(h, http.MethodPost, "/oauth/end_session", url.Values{"client_id": {"wiki"}, "state": {""}}), "/oauth/end_session?", "/login")
	})
}

// merged are parameters with others in place of those of their names.
func merged(form, more url.Values) url.Values {
	made := url.Values{}
	for _, of := range []url.Values{form, more} {
		for name, values := range of {
			made[name] = values
		}
	}
	return made
}

// followed follows one redirect, and holds the places that the two lead to.
func followed(t *testing.T, h *harness.Service, w *httptest.ResponseRecorder, first, second string) *httptest.ResponseRecorder {
	t.Helper()
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, first) {
		t.Fatalf("what was posted leads by %d to %q", w.Code, to)
	}
	next := send(h, http.MethodGet, to, nil)
	if got := next.Header().Get("Location"); next.Code != http.StatusSeeOther || !strings.HasPrefix(got, second) {
		t.Errorf("%s leads by %d to %q", to, next.Code, got)
	}
	return next
}

// Who acted before does not count: a service that may exchange the tokens of one client exchanges
// none in which another one acts by them (RFC 8693 section 4.1).
func TestEarlierActorsDoNotCount(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		search, index, last := exchanger(ada, "search", "wiki"), exchanger(ada, "index", "search"), exchanger(ada, "last", "search")
		second := search.exchange(h, app.redeem(h, codeOf(t, ada, nil)).OK().String("access_token"), nil).OK().String("access_token")
		third := index.exchange(h, second, nil).OK().String("access_token")
		refusedFor(t, "a token in which another one acts by them", last.exchange(h, third, nil), "invalid_request")
		last.exchange(h, second, nil).OK()
	})
}

// What is published is JSON without empty lists, names addresses without fragments, and is true: the
// issuer is who answers, and PKCE is by S256 (RFC 8414 sections 2 and 3.2, RFC 9207 section 2.3, RFC
// 9700 section 2.1.1, RFC 9728 section 3.2).
func TestMetadataDocuments(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki(ada)
		opened := ada.Do("OAUTH.AUTHORIZE", request(nil)).OK()
		issuer := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": false})).Get("iss")
		for path, must := range map[string][]string{
			"/.well-known/oauth-authorization-server": {"authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "token_endpoint_auth_signing_alg_values_supported", "device_authorization_endpoint", "pushed_authorization_request_endpoint"},
			"/.well-known/openid-configuration":       {"end_session_endpoint", "userinfo_endpoint", "subject_types_supported", "id_token_signing_alg_values_supported"},
			"/.well-known/oauth-protected-resource":   {"resource", "authorization_servers"},
		} {
			w := asked(h, http.MethodGet, path, "")
			var response map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
				t.Fatalf("%s: %d %v %v", path, w.Code, w.Header(), err)
			}
			for _, name := range must {
				if response[name] == nil {
					t.Errorf("%s: %s is missing", path, name)
				}
			}
			for name, value := range response {
				switch value := value.(type) {
				case nil:
					t.Errorf("%s: %s is null", path, name)
				case string:
					if value == "" || strings.HasPrefix(value, "http") && strings.ContainsAny(value, "?#") {
						t.Errorf("%s: %s is %q", path, name, value)
					}
				case []any:
					if len(value) == 0 || slices.Contains(value, any("none")) && strings.Contains(name, "_alg_") {
						t.Errorf("%s: %s is %v", path, name, value)
					}
				}
			}
			if path != "/.well-known/oauth-protected-resource" && (response["issuer"] != issuer || response["authorization_response_iss_parameter_supported"] != true || !slices.Equal(response["code_challenge_methods_supported"].([]any), []any{"S256"})) {
				t.Errorf("%s: of the issuer %v, where %s answers; PKCE by %v", path, response["issuer"], issuer, response["code_challenge_methods_supported"])
			}
		}
	})
}
