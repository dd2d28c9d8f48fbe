package machines_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// revoke presents a token for revocation.
func (m oauthMachine) revoke(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("OAUTH.REVOKE", P{"client_id": m.slug, "client_secret": m.secret, "token": token, "token_type_hint": "refresh_token"})
}

// A client's own token ends on every replica with the call, and nobody else's does.
func TestOAuthRevoke(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		m, mate := oauthRegister(ada, "worker", P{"scopes": []string{"apps:read"}}), oauthRegister(ada, "mate", nil)
		stranger := oauthRegister(here.SignUp("eve@example.com"), "stranger", nil)
		one, other := m.ask(here, "", nil).OK(), m.ask(here, "", nil).OK()
		text := one.String("access_token")
		there.With(text).Do("APP.LIST", nil).OK()

		for _, of := range []oauthMachine{mate, stranger} {
			if got := of.revoke(there, text).OK(); got.Bool("revoked") || !active(there, one) {
				t.Errorf("%s revoked a token of another app: %v", of.slug, got.Data)
			}
		}
		dry := there.Anonymous().DryRun().Do("OAUTH.REVOKE", P{"client_id": m.slug, "client_secret": m.secret, "token": text}).OK()
		if !dry.Bool("revoked") || !active(here, one) {
			t.Error("a dry run revoked, or says that it would not")
		}
		for range 2 { // once revoked, it stays so
			if got := m.revoke(there, text).OK(); !got.Bool("revoked") || len(got.Data) != 1 {
				t.Errorf("the own token: %v", got.Data)
			}
		}
		here.With(text).Do("APP.LIST", nil).Fails(fault.Auth)
		if active(here, one) || !active(here, other) {
			t.Error("the token is active after its revocation, or its sibling is not")
		}
		events := eventsOf(here, oauth.KindRevoked, ada.OrgID)
		want := fmt.Sprintf(`{"jti":%q,"app_id":%q,"org_id":%q}`, one.String("jti"), m.id, ada.OrgID)
		if len(events) != 1 || string(events[0].Data) != want || len(here.Events(m2m.KindRevoked)) != 0 {
			t.Errorf("events %v, want one with %s", events, want)
		}
	})
}

// Who presents what is no token of theirs is told that it is revoked not, whatever it is.
func TestRevokeWhatIsNoToken(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		m := oauthRegister(ada, "worker", nil)
		good, late := m.ask(h, "", nil).OK().String("access_token"), m.ask(h, "", nil).OK().String("access_token")
		for what, text := range map[string]string{
			"a forged token": good[:len(good)-4] + "AAAA", "nonsense": "x", "a session": ada.AccessToken, "a refresh token": ada.RefreshToken,
		} {
			if got := m.revoke(h, text).OK(); got.Bool("revoked") {
				t.Errorf("%s: %v", what, got.Data)
			}
		}
		ada.Do("USER.ME", nil).OK()
		for _, text := range []string{m.secret, "ak_live_x"} {
			refused(t, "a key", m.revoke(h, text).Fails(fault.Validation), "unsupported_token_type")
		}
		h.Clock.Advance(2 * time.Hour)
		if m.revoke(h, late).OK().Bool("revoked") {
			t.Error("a token that had expired was revoked")
		}
		if got := h.Events(oauth.KindRevoked); len(got) != 0 {
			t.Errorf("events %v", got)
		}
	})
}

// The same slug, registered anew by the workspace, is another client.
func TestRevokeOfFormerApp(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		former := oauthRegister(ada, "worker", nil)
		text := former.ask(h, "", nil).OK().String("access_token")
		ada.Do("APP.DELETE", P{"app_id": former.id}).OK()
		if oauthRegister(ada, "worker", nil).revoke(h, text).OK().Bool("revoked") || len(h.Events(oauth.KindRevoked)) != 0 {
			t.Error("an app revoked a token of the one that had its slug before")
		}
	})
}

func TestRevokeAuthenticates(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		m, other := oauthRegister(ada, "worker", nil), oauthRegister(ada, "other", nil)
		issued := m.ask(h, "", nil).OK()
		token := issued.String("access_token")
		for what, params := range map[string]P{
			"nobody":              {},
			"no secret":           {"client_id": m.slug},
			"a secret alone":      {"client_secret": m.secret},
			"another's secret":    {"client_id": m.slug, "client_secret": other.secret},
			"an unknown client":   {"client_id": "nobody-here", "client_secret": m.secret},
			"an unsigned one":     {"client_assertion": "a.b.c", "client_assertion_type": assertionType},
			"somebody's own word": {"client_assertion": h.Holder().Sign(P{"alg": "ES256"}, assertion(h, m.slug)), "client_assertion_type": assertionType},
		} {
			params["token"] = token
			refused(t, what, h.Anonymous().Do("OAUTH.REVOKE", params).Fails(fault.Auth), "invalid_client")
		}
		if !active(h, issued) {
			t.Fatal("somebody revoked a token without being its client")
		}
		// An assertion names the client by itself.
		holder := h.Holder()
		ada.Do("APP.SET_JWKS", P{"app_id": m.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		params := P{"token": token, "client_assertion_type": assertionType, "client_assertion": holder.Sign(P{"alg": "ES256"}, assertion(h, m.slug))}
		if !h.Anonymous().Do("OAUTH.REVOKE", params).OK().Bool("revoked") || active(h, issued) {
			t.Error("an assertion did not revoke")
		}
		refused(t, "the assertion again", h.Anonymous().Do("OAUTH.REVOKE", params).Fails(fault.Auth), "invalid_client")
	})
}

// assertion are the claims by which a client says who it is.
func assertion(h *harness.Service, of string) P {
	return P{"iss": of, "sub": of, "aud": harness.Issuer, "jti": "one of " + of, "exp": h.Clock.Now().Unix() + 60}
}

// Who guesses at a client's secret is stopped at their own address, and keeps the client
// from nothing.
func TestRevokeCountsFailuresApart(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		const most = 4
		here.Superadmin().Do("RATE_LIMIT.SET", P{"command": "OAUTH.REVOKE", "key": "token", "limit": most, "window_seconds": 60}).OK()
		ada := here.SignUp("ada@example.com")
		m, mate := oauthRegister(ada, "worker", nil), oauthRegister(ada, "mate", nil)
		revoke := func(h *harness.Service, from int, secret string) *harness.Reply {
			return h.Anonymous().From(from).Do("OAUTH.REVOKE", P{"client_id": m.slug, "client_secret": secret, "token": "a.b.c"})
		}
		for i := range most {
			revoke([]*harness.Service{here, there}[i%2], 1, mate.secret).Fails(fault.Auth)
		}
		revoke(there, 1, mate.secret).Fails(fault.RateLimited)
		for i := range most {
			revoke([]*harness.Service{here, there}[i%2], 1, m.secret).OK()
		}
		revoke(here, 2, m.secret).Fails(fault.RateLimited)
		revoke(here, 2, mate.secret).Fails(fault.Auth)
	})
}
