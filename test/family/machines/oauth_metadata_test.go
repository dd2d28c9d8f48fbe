package machines_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Clients that name no algorithm get ID tokens by RS256 (OpenID Connect Registration
// section 2), and may do without PKCE where they authenticate.
func TestDefaultsOfRegistrations(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"redirect_uris": []string{callback}})).OK()
		id, token := made.String("client_id"), made.String("registration_access_token")
		if made.String("id_token_signed_response_alg") != "RS256" || !made.Bool("require_pkce") {
			t.Errorf("registered %v", made.Data)
		}
		es := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"redirect_uris": []string{callback}, "id_token_signed_response_alg": "ES256", "require_pkce": false})).OK()
		if es.String("id_token_signed_response_alg") != "ES256" || es.Bool("require_pkce") {
			t.Errorf("registered %v", es.Data)
		}
		ada := h.SignUp("ada@example.com")
		client := oauthMachine{slug: id, secret: made.String("client_secret")}
		tokens := client.redeem(h, codeOf(t, ada, P{"client_id": id, "scope": "openid"})).OK()
		if algorithm, _ := signature(t, h, tokens.String("id_token")); algorithm != "RS256" {
			t.Errorf("the ID token is signed by %v", algorithm)
		}
		without := P{"client_id": es.String("client_id"), "scope": "openid", "code_challenge": nil, "code_challenge_method": nil}
		if got := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": id, "code_challenge": nil, "code_challenge_method": nil}))); got.Get("error") != "invalid_request" {
			t.Errorf("without PKCE: %v", got)
		}
		ada.Do("OAUTH.AUTHORIZE", request(without)).OK()
		h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "none", "require_pkce": false})).Fails(fault.Validation).Field("/require_pkce")
		status, response := sent(h, http.MethodPut, id, token, described(P{"client_id": id, "require_pkce": false, "contacts": []string{"a@wiki.example"}}))
		if status != http.StatusOK || response["require_pkce"] != false || response["contacts"] != nil || len(response["unsupported_metadata"].([]any)) != 1 {
			t.Errorf("replaced: %d %v", status, response)
		}
	})
}

// What a sector_identifier_uri lists is fetched, and must hold all addresses; its host
// is what people are known by.
func TestSectors(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		const sector = "https://sector.example/clients.json"
		both := []string{"https://a.example/cb", "https://b.example/cb"}
		wanted := described(P{"redirect_uris": both, "subject_type": "pairwise", "sector_identifier_uri": sector})
		register := func() *harness.Reply { return h.Anonymous().Do("OAUTH.CLIENT_REGISTER", wanted) }
		register().Fails(fault.Validation).Field("/sector_identifier_uri")
		h.Web.Publish(t, sector, P{"redirect_uris": both}, time.Hour)
		register().Fails(fault.Validation).Field("/sector_identifier_uri")
		h.Web.Publish(t, sector, both[:1], time.Hour)
		register().Fails(fault.Validation).Field("/sector_identifier_uri")
		h.Web.Publish(t, sector, append(both, callback), time.Hour)
		one, other := register().OK(), register().OK()
		if one.String("sector_identifier_uri") != sector {
			t.Errorf("registered %v", one.Data)
		}
		ada := h.SignUp("ada@example.com")
		subject := func(client *harness.Reply, redirect string) any {
			id := client.String("client_id")
			opened := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": id, "scope": "openid", "redirect_uri": redirect})).OK()
			decided := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).OK()
			to, err := url.Parse(decided.String("redirect_to"))
			if err != nil {
				t.Fatal(err)
			}
			tokens := h.Anonymous().Do("OAUTH.TOKEN", P{
				"grant_type": "authorization_code", "client_id": id, "client_secret": client.String("client_secret"), "code": to.Query().Get("code"), "redirect_uri": redirect, "code_verifier": verifier,
			}).OK()
			return claimsOf(t, tokens.String("id_token"))["sub"]
		}
		first := subject(one, both[0])
		if got := subject(other, both[1]); got != first || got == ada.UserID {
			t.Errorf("in one sector a person is %v and %v", first, got)
		}
		for _, inward := range []string{"https://10.0.0.1/clients.json", "http://sector.example/clients.json"} {
			h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"sector_identifier_uri": inward})).Fails(fault.Validation).Field("/sector_identifier_uri")
		}

		made := ada.Do("APP.REGISTER", P{"name": "A", "slug": "a-app", "type": "web", "redirect_urls": both, "subject_type": "pairwise", "sector_identifier_uri": sector}).OK().String("app.id")
		h.Web.Meanwhile(func() { h.SignUp("bob@example.com") }) // the fetch holds no transaction open
		ada.Idempotent("sector").Do("APP.UPDATE", P{"app_id": made, "sector_identifier_uri": sector}).OK()
		h.Web.Meanwhile(nil)
		ada.DryRun().Do("APP.UPDATE", P{"app_id": made, "sector_identifier_uri": sector}).Fails(fault.Validation).Field("/sector_identifier_uri")
		ada.Do("APP.UPDATE", P{"app_id": made, "redirect_urls": []string{"https://c.example/cb"}, "sector_identifier_uri": sector}).Fails(fault.Validation).Field("/sector_identifier_uri")
		ada.Do("APP.UPDATE", P{"app_id": made, "redirect_urls": both[:1]}).Fails(fault.Validation).Field("/sector_identifier_uri")
		ada.Do("APP.UPDATE", P{"app_id": made, "redirect_urls": both[:1], "sector_identifier_uri": sector}).OK()
		ada.Do("APP.UPDATE", P{"app_id": made, "name": "B"}).OK()
		ada.Do("APP.UPDATE", P{"app_id": made, "redirect_urls": []string{"https://c.example/cb"}, "sector_identifier_uri": ""}).OK()
	})
}

// An app is registered with what it publishes of itself.
func TestRegisteredWithKeysAndPages(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, by := h.SignUp("ada@example.com"), &signer{Holder: h.Holder(), h: h}
		made := ada.Do("APP.REGISTER", P{
			"name": "Worker", "slug": "worker", "token_endpoint_auth_method": "private_key_jwt", "jwks": P{"keys": []P{by.JWK()}},
			"policy_url": "https://worker.example/privacy", "terms_url": "https://worker.example/terms",
		}).OK()
		if made.Has("api_key") {
			t.Error("an app that signs has a secret, which it could never use")
		}
		got := ada.Do("APP.GET", P{"app_id": made.String("app.id")}).OK()
		if got.String("app.policy_url") != "https://worker.example/privacy" || got.String("app.terms_url") != "https://worker.example/terms" || !got.Has("app.jwks.keys") {
			t.Errorf("registered %v", got.Data)
		}
		asserting(h, "worker", by.assertion(P{"iss": "worker", "sub": "worker"})).OK()
		keys := P{"keys": []P{by.JWK()}}
		ada.Do("APP.REGISTER", P{"name": "B", "slug": "b-app", "type": "spa", "jwks": keys}).Fails(fault.Validation).Field("/jwks")
		ada.Do("APP.REGISTER", P{"name": "B", "slug": "b-app", "jwks": keys, "jwks_uri": "https://b.example/jwks"}).Fails(fault.Validation)
		ada.Do("APP.REGISTER", P{"name": "B", "slug": "b-app", "jwks_uri": "https://10.0.0.1/jwks"}).Fails(fault.Validation).Field("/jwks_uri")
		ada.Do("APP.REGISTER", P{"name": "B", "slug": "b-app", "jwks": P{"keys": []P{}}}).Fails(fault.Validation).Field("/jwks/keys")
	})
}

// At /oauth/token, an app that registered a method authenticates by it alone; elsewhere
// its secret is accepted in either form.
func TestMethodsAtTheTokenEndpoint(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		post := func(path, slug, secret, method string) (int, string) {
			form := url.Values{"grant_type": {"client_credentials"}}
			if method == "client_secret_post" {
				form.Set("client_id", slug)
				form.Set("client_secret", secret)
			}
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if method == "client_secret_basic" {
				r.SetBasicAuth(slug, secret)
			}
			w := httptest.NewRecorder()
			h.Handler.ServeHTTP(w, r)
			return w.Code, w.Body.String()
		}
		methods := []string{"client_secret_basic", "client_secret_post"}
		for slug, registered := range map[string]string{"any-way": "", "by-basic": methods[0], "by-post": methods[1]} {
			params := P{"name": "A", "slug": slug}
			if registered != "" {
				params["token_endpoint_auth_method"] = registered
			}
			secret := ada.Do("APP.REGISTER", params).OK().String("api_key")
			for _, method := range methods {
				want := http.StatusOK
				if registered != "" && registered != method {
					want = http.StatusUnauthorized
				}
				got, body := post("/oauth/token", slug, secret, method)
				if got != want || want != http.StatusOK && !strings.Contains(body, "registered token_endpoint_auth_method "+registered) {
					t.Errorf("%s at /oauth/token by %s: %d %s, want %d", slug, method, got, body, want)
				}
				if got, body := post("/api/m2m/token", slug, secret, method); got != http.StatusOK {
					t.Errorf("%s at /api/m2m/token by %s: %d %s", slug, method, got, body)
				}
			}
			h.Anonymous().Do("M2M.TOKEN", P{"client_id": slug, "client_secret": secret}).OK()
		}
	})
}

// The nonce is of one authorization request: refreshed ID tokens have none.
func TestNonceOfRefreshes(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		tokens := app.redeem(h, codeOf(t, ada, P{"scope": "openid offline_access"})).OK()
		if got := claimsOf(t, tokens.String("id_token"))["nonce"]; got != "n-0S6" {
			t.Errorf("nonce = %v", got)
		}
		refreshed := app.refresh(h, tokens.String("refresh_token")).OK()
		if got, given := claimsOf(t, refreshed.String("id_token"))["nonce"]; given {
			t.Errorf("refreshed, nonce = %v", got)
		}
	})
}
