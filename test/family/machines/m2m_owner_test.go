package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// An app acts for the personal workspace of its owner: while they are disabled it gets
// no tokens, and those it has are no good; once they are enabled again, both are back.
func TestAppsStopWithTheirOwner(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, owner := h.Superadmin(), h.SignUp("ada@example.com")
		m := m2mRegister(h, owner, "worker", P{"scopes": []string{"apps:read"}})
		s := &signer{Holder: h.Holder(), h: h}
		m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
		token := m.token(P{"ttl_seconds": 86400}).String("access_token")
		right := func(when string, want bool) {
			t.Helper()
			if got := m.ask(nil).Failure == nil; got != want {
				t.Errorf("%s a secret gets a token: %v", when, got)
			}
			if got := asserting(h, m.slug, s.assertion(nil)).Failure == nil; got != want {
				t.Errorf("%s an assertion gets a token: %v", when, got)
			}
			if got := h.With(token).Do("APP.LIST", nil).Failure == nil; got != want {
				t.Errorf("%s the token works: %v", when, got)
			}
			if got := introspect(h, token).Bool("active"); got != want {
				t.Errorf("%s the token is active: %v", when, got)
			}
		}
		right("at first", true)
		root.Do("USER.DISABLE", P{"user_id": owner.UserID}).OK()
		right("while the owner is disabled", false)
		wantInactive(t, h, token, "token_revoked")
		if got := m.ask(nil).Fails(fault.Auth).Failure.Message; got != h.Anonymous().Do("M2M.TOKEN", P{"client_id": "nobody", "client_secret": m.secret}).Failure.Message {
			t.Errorf("told %q", got)
		}
		root.Do("USER.ENABLE", P{"user_id": owner.UserID}).OK()
		right("once the owner is enabled", true)
		until := h.Clock.Now().Add(10 * time.Minute)
		root.Do("USER.DISABLE", P{"user_id": owner.UserID, "until": until.Format(time.RFC3339Nano)}).OK()
		h.Clock.Advance(10*time.Minute - time.Microsecond)
		right("just before the owner is back", false)
		h.Clock.Advance(time.Microsecond)
		right("once the owner is back", true)
		h.Superadmin().Do("USER.DELETE", P{"user_id": owner.UserID}).OK()
		right("after the owner was deleted", false)
	})
}

// An owner who is disabled while a client authenticates has nothing issued to it.
func TestAnOwnerIsDisabledMeanwhile(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, owner := h.Superadmin(), h.SignUp("ada@example.com")
		m := m2mRegister(h, owner, "worker", nil)
		_, err := hesitating(t, h, paramsOf(m), command.Call{}, func() {
			root.Do("USER.DISABLE", P{"user_id": owner.UserID}).OK()
		})
		if fault.From(err).Code != fault.Auth || issued(h) != 0 {
			t.Errorf("%d tokens, %v", issued(h), err)
		}
	})
}

// What is remembered of a busy client is not that its owner stays.
func TestABusyClientStopsWithItsOwner(t *testing.T) {
	t.Parallel()
	m, w, there := busy(t)
	root := there.Superadmin()
	root.Do("USER.DISABLE", P{"user_id": m.owner.UserID}).OK()
	before, began := issued(m.h), w.began
	m.ask(nil).Fails(fault.Auth)
	if w.began == began || issued(m.h) != before {
		t.Errorf("the call was admitted from memory: %v, and %d tokens were issued", w.began > began, issued(m.h)-before)
	}
	root.Do("USER.ENABLE", P{"user_id": m.owner.UserID}).OK()
	m.token()
}
