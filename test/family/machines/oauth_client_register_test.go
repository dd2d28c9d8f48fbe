package machines_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// described is how a client describes itself; more replaces members, nil takes one out.
func described(more P) P {
	d := P{"client_name": "Wiki", "redirect_uris": []string{"https://wiki.example/cb"}}
	for name, value := range more {
		d[name] = value
		if value == nil {
			delete(d, name)
		}
	}
	return d
}

func registration(h *harness.Service, mode string) {
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"client_registration": mode}}).OK()
}

// Clients register themselves where the instance lets them, with a credential of somebody who
// may register apps or without any.
func TestWhoRegistersClients(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		key := func(scopes ...string) *harness.Actor {
			return there.With(ada.Do("API_KEY.CREATE", P{"name": "initial", "scopes": scopes}).OK().String("key"))
		}
		may, mayNot := key("apps:write"), key("apps:read")
		there.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.Denied)
		may.Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.Denied)
		registration(here, "authenticated")
		there.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.Auth)
		mayNot.Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.Denied)
		may.Do("OAUTH.CLIENT_REGISTER", described(P{"scope": "apps:write users:manage"})).Fails(fault.Denied)
		made := may.Do("OAUTH.CLIENT_REGISTER", described(P{"scope": "openid apps:write"})).OK()
		found := ada.Do("APP.GET", P{"slug": made.String("client_id")}).OK()
		if found.String("app.org_id") != ada.OrgID || found.Has("app.origin") || found.String("app.type") != "web" || made.String("scope") != "apps:write openid" {
			t.Errorf("registered %v as %v", made.Data, found.Data)
		}
		registration(here, "open")
		open := there.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"scope": "openid apps:write", "token_endpoint_auth_method": "none"})).OK()
		ada.Do("APP.GET", P{"slug": open.String("client_id")}).Fails(fault.NotFound)
		root := here.Superadmin()
		stranger := root.Do("APP.GET", P{"slug": open.String("client_id")}).OK()
		if stranger.String("app.origin") != "open" || stranger.String("app.org_id") != root.OrgID || stranger.String("app.type") != "spa" || open.String("scope") != "openid" || open.Has("client_secret") {
			t.Errorf("registered %v as %v", open.Data, stranger.Data)
		}
		if got := here.Events(app.KindRegistered); len(got) != 2 {
			t.Errorf("%d were told of a client, want 2", len(got))
		}
		team := ada.Do("TEAM.CREATE", P{"name": "Clients"}).OK().String("organization.id")
		root.Do("SETTINGS.SET", P{"values": P{"client_workspace": []string{team}}}).OK()
		housed := there.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		if got := root.Do("APP.GET", P{"slug": housed.String("client_id")}).String("app.org_id"); got != team {
			t.Errorf("the client is in %s, want %s", got, team)
		}
	})
}

// What does not fit is refused, by the names of RFC 7591.
func TestClientMetadataIsChecked(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		for field, more := range map[string]P{
			"/redirect_uris":               {"redirect_uris": []string{}},
			"/redirect_uris/0":             {"redirect_uris": []string{"http://wiki.example/cb"}},
			"/redirect_uris/1":             {"redirect_uris": []string{"https://wiki.example/cb", "https://wiki.example/#cb"}},
			"/post_logout_redirect_uris/0": {"post_logout_redirect_uris": []string{"ftp://wiki.example"}},
			"/response_types":              {"response_types": []string{"token"}},
			"/grant_types":                 {"grant_types": []string{"client_credentials"}},
			"/grant_types/0":               {"grant_types": []string{"implicit"}},
			"/jwks":                        {"token_endpoint_auth_method": "private_key_jwt"},
			"/jwks/keys":                   {"jwks": P{"keys": []P{}}},
			"/jwks_uri":                    {"jwks_uri": "https://10.0.0.1/jwks", "token_endpoint_auth_method": "private_key_jwt"},
			"/token_endpoint_auth_method":  {"token_endpoint_auth_method": "tls_client_auth"},
			"/subject_type":                {"subject_type": "pairwise", "redirect_uris": []string{"https://a.example/cb", "https://b.example/cb"}},
		} {
			h.Anonymous().From(len(field)).Do("OAUTH.CLIENT_REGISTER", described(more)).Fails(fault.Validation).Field(field)
		}
		key := h.Holder().JWK()
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "private_key_jwt", "jwks": P{"keys": []P{key}}})).OK()
		if made.Has("client_secret") || !made.Has("jwks.keys") {
			t.Errorf("registered %v", made.Data)
		}
		both := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "private_key_jwt", "jwks": P{"keys": []P{key}}, "jwks_uri": "https://wiki.example/jwks"})).Fails(fault.Validation)
		if !strings.Contains(both.Failure.Error(), "either jwks or jwks_uri") {
			t.Errorf("keys in two ways: %v", both.Failure)
		}
		one, other := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK(), h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		if one.String("client_secret") == other.String("client_secret") || one.String("client_id") == other.String("client_id") {
			t.Errorf("two clients are alike: %v, %v", one.Data, other.Data)
		}
		h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"redirect_uris": []string{}, "grant_types": []string{"urn:ietf:params:oauth:grant-type:device_code"}})).OK()
	})
}

// Nobody vouches for who registers openly: people are told, and floods end.
func TestOpenRegistrationIsBounded(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "none"})).OK()
		asked := h.SignUp("bob@example.com").Do("OAUTH.AUTHORIZE", P{
			"client_id": made.String("client_id"), "response_type": "code", "scope": "openid", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		}).OK()
		if !asked.Bool("consent_required") || asked.String("client.vouched_by") != "open" {
			t.Errorf("the person is shown %v", asked.Data)
		}
		for range 20 {
			h.Anonymous().From(1).Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		}
		h.Anonymous().From(1).Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.RateLimited)
		h.Anonymous().From(2).Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		root := h.Superadmin()
		root.Do("APP.REGISTER", P{"name": "Taken", "slug": "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"}).Fails(fault.Validation).Field("/slug")
		flooded := harness.New(t)
		registration(flooded, "open")
		flooded.Superadmin().Do("RATE_LIMIT.SET", P{"command": "OAUTH.CLIENT_REGISTER", "key": "all", "limit": 3, "window_seconds": 3600}).OK()
		for address := range 3 {
			flooded.Anonymous().From(address+1).Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		}
		flooded.Anonymous().From(4).Do("OAUTH.CLIENT_REGISTER", described(nil)).Fails(fault.RateLimited)
	})
}

// No name that people are shown writes over what stands around it, or shows nothing, whichever way
// it comes.
func TestMisleadingNames(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		root := h.Superadmin()
		root.Do("SETTINGS.SET", P{"values": P{"client_registration": "open", "client_metadata_documents": true}}).OK()
		made := ada.Do("APP.REGISTER", P{"name": " Wiki\u00a0", "slug": "wiki"}).OK().String("app.id")
		if got := ada.Do("APP.GET", P{"app_id": made}).OK().String("app.name"); got != "Wiki" {
			t.Errorf("the name became %q", got)
		}
		holder := h.Holder().JWK()
		things := map[string]P{
			"API_KEY.CREATE": {"scopes": []string{"users:read"}}, "API_KEY.UPDATE": {"key_id": "key_01h455vb4pex5vsknk084sn02q"},
			"DPOP.REGISTER": {"public_jwk": holder}, "DEVICE.TRUST": {}, "AUTH.MFA_SETUP_TOTP": {},
			"WEBAUTHN.UPDATE":          {"credential_id": "pky_01h455vb4pex5vsknk084sn02q"},
			"WEBAUTHN.REGISTER_VERIFY": {"credential": P{}},
		}
		for i, name := range []string{"   ", "\u00a0", "\u200b", "Wiki\u202e", "\u2066Wiki", "\u200fWiki", "Wiki\u2028signs you in"} {
			ada.Do("APP.REGISTER", P{"name": name, "slug": "other"}).Fails(fault.Validation)
			ada.Do("APP.UPDATE", P{"app_id": made, "name": name}).Fails(fault.Validation)
			ada.Do("TEAM.CREATE", P{"name": name}).Fails(fault.Validation)
			h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"client_name": name})).Fails(fault.Validation)
			for command, params := range things {
				params["name"] = name
				refused := ada.Do(command, params).Failure
				if refused == nil || refused.Code != fault.Validation || len(refused.Fields) != 1 || refused.Fields[0].Path != "/name" {
					t.Errorf("%s with the name %q: %+v", command, name, refused)
				}
			}
			address := agent + "-" + strconv.Itoa(i)
			h.Web.Publish(t, address, document(P{"client_id": address, "client_name": name}), time.Hour)
			if got := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": address})); codeOfFailure(got) != fault.Validation || !strings.Contains(got.Failure.Message, "client_name") {
				t.Errorf("a document with the name %q: %v %v", name, got.Failure, got.Data)
			}
		}
		for _, name := range []string{"株式会社", "عايدة", "👩\u200d💻 Co", "<b>"} {
			ada.Do("APP.UPDATE", P{"app_id": made, "name": name}).OK()
		}
	})
}
