package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Where the policy asks for consent, support acts only while the person allows it.
func TestImpersonationNeedsConsent(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		start := func() *harness.Reply {
			return a.root.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": "r", "ttl_minutes": 30})
		}
		a.root.Do("POLICY.SET", P{"kind": "session", "values": P{"impersonation_consent": true}}).OK()
		start().Fails(fault.Denied)
		until := h.Clock.Now().Add(20 * time.Minute).Truncate(time.Second)
		if said := a.ada.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": until}).OK(); said.String("allowed_until") != until.Format(time.RFC3339) {
			t.Errorf("answered %v", said.Data)
		}
		if listed := a.ada.Do("IMPERSONATION.LIST", nil).OK(); listed.String("allowed_until") != until.Format(time.RFC3339) {
			t.Errorf("listed %v", listed.Data)
		}
		begun := start().OK()
		if begun.String("impersonation.expires_at") != until.Format(time.RFC3339) {
			t.Errorf("it goes on until %s, which is longer than allowed", begun.String("impersonation.expires_at"))
		}
		as := h.With(begun.String("access_token"))
		as.Do("USER.ME", nil).OK()
		sooner := h.Clock.Now().Add(5 * time.Minute).Truncate(time.Second)
		a.ada.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": sooner}).OK()
		as.Do("USER.ME", nil).OK()
		h.Clock.Advance(5 * time.Minute)
		as.Do("USER.ME", nil).Fails(fault.Auth)
		start().Fails(fault.Denied)
		if listed := a.ada.Do("IMPERSONATION.LIST", nil).OK(); listed.Data["allowed_until"] != nil {
			t.Errorf("listed %v", listed.Data)
		}

		a.ada.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": h.Clock.Now().Add(time.Hour)}).OK()
		again := h.With(start().OK().String("access_token"))
		if said := a.ada.Do("IMPERSONATION.SET_CONSENT", nil).OK(); said.Data["allowed_until"] != nil {
			t.Errorf("answered %v", said.Data)
		}
		again.Do("USER.ME", nil).Fails(fault.Auth)
		start().Fails(fault.Denied)
		if events := h.Events("impersonation.consent_set"); len(events) != 4 || events[0].UserID != a.ada.UserID {
			t.Errorf("told %v", events)
		}
		for _, wrong := range []any{h.Clock.Now().Add(-time.Second), h.Clock.Now().Add(91 * 24 * time.Hour), "tomorrow"} {
			a.ada.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": wrong}).Fails(fault.Validation)
		}
	})
}

// A workspace asks for more than the instance does, for all of its members; none for less.
func TestWorkspacesAreStricterAboutImpersonation(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		start := func(minutes int) *harness.Reply {
			return a.root.Do("IMPERSONATION.START", P{"user_id": a.ada.UserID, "reason": "r", "ttl_minutes": minutes})
		}
		set := func(who *harness.Actor, org string, values P) *harness.Reply {
			params := P{"kind": "session", "values": values}
			if org != "" {
				params["org_id"] = org
			}
			return who.Do("POLICY.SET", params)
		}
		start(60).OK()
		set(a.ada, a.ada.OrgID, P{"impersonation_minutes": 10}).OK()
		start(11).Fails(fault.Validation).Field("/ttl_minutes")
		start(10).OK()
		if begun := a.begin(nil); begun.Int("expires_in") != 10*60 {
			t.Errorf("lasts %d seconds", begun.Int("expires_in"))
		}
		set(a.ada, a.ada.OrgID, P{"impersonation_consent": true}).OK()
		start(1).Fails(fault.Denied)
		set(a.ada, a.ada.OrgID, P{"impersonation_minutes": 0, "impersonation_consent": nil}).OK()
		start(1).Fails(fault.Denied)
		set(a.root, "", P{"impersonation_minutes": 5}).OK()
		set(a.ada, a.ada.OrgID, P{"impersonation_minutes": 6}).Fails(fault.Validation)
		effective := a.ada.Do("POLICY.EFFECTIVE_GET", nil).OK()
		if effective.Int("session.impersonation_minutes") != 0 || effective.String("sources.session.impersonation_minutes") != a.ada.OrgID {
			t.Errorf("POLICY.EFFECTIVE_GET = %v", effective.Data)
		}
	})
}

// A start that crosses what must end it leaves no token behind: taking the consent back, disabling the
// person, ending the actor.
func TestStartsThatCrossAnEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		root.Do("POLICY.SET", P{"kind": "session", "values": P{"impersonation_consent": true}}).OK()
		helper := here.SignUp("helper@example.com")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": helper.UserID, "is_superadmin": true}).OK()
		ada := here.SignUp("ada@example.com")
		for name, end := range map[string]func(actor *harness.Actor) *harness.Reply{
			"the consent": func(*harness.Actor) *harness.Reply {
				return there.With(ada.AccessToken).Do("IMPERSONATION.SET_CONSENT", nil)
			},
			"the actor's session": func(actor *harness.Actor) *harness.Reply { return there.With(actor.AccessToken).Do("AUTH.LOGOUT", nil) },
			"the person": func(*harness.Actor) *harness.Reply {
				return there.With(root.AccessToken).Do("USER.DISABLE", P{"user_id": ada.UserID})
			},
		} {
			for range 5 {
				root.Do("USER.ENABLE", P{"user_id": ada.UserID}).OK()
				ada.AccessToken = here.Login("ada@example.com", harness.Password).AccessToken
				ada.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": here.Clock.Now().Add(time.Hour)}).OK()
				actor := here.Login("helper@example.com", harness.Password)
				replies := harness.Together(2, func(i int) *harness.Reply {
					if i == 0 {
						return end(actor)
					}
					return actor.Do("IMPERSONATION.START", P{"user_id": ada.UserID, "reason": "r"})
				})
				replies[0].OK()
				if replies[1].Failure != nil {
					if code := replies[1].Failure.Code; code != fault.Denied && code != fault.Auth {
						t.Errorf("%s: the start fails with %v", name, replies[1].Failure)
					}
					continue
				}
				here.With(replies[1].String("access_token")).Do("USER.ME", nil).Fails(fault.Auth)
			}
		}
	})
}
