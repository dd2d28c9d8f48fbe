package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func kindOf(name string) event.Kind { return event.Kind(name) }

// Whatever ends an impersonation ends its token everywhere at once, on every replica, and for
// resource servers that ask.
func TestWhatEndsAnImpersonation(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		helper := here.SignUp("helper@example.com")
		here.Superadmin().Do("USER.SET_SUPERADMIN", P{"user_id": helper.UserID, "is_superadmin": true}).OK()
		a := acting{Service: here, ada: here.SignUp("ada@example.com")}
		api := a.ada.Machine("api", "tokens:introspect")
		manager := here.With(here.Superadmin().Do("API_KEY.CREATE", P{"name": "m", "scopes": []string{"users:manage", "sessions:manage"}}).OK().String("key"))
		restrict := func(org string, values P) {
			params := P{"kind": "session", "values": values}
			if org != "" {
				params["org_id"] = org
			}
			here.Superadmin().Do("POLICY.SET", params).OK()
		}
		for name, end := range map[string]func(session string){
			"stopped by its token": func(string) { a.as.Do("IMPERSONATION.STOP", nil).OK() },
			"stopped by the actor": func(string) { a.root.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).OK() },
			"stopped by the person": func(string) {
				a.ada.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).OK()
			},
			"stopped by users:manage": func(string) { manager.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).OK() },
			"session ended by the person": func(session string) {
				a.ada.Do("SESSION.REVOKE", P{"session_id": session}).OK()
			},
			"all others ended by the person": func(string) { a.ada.Do("SESSION.REVOKE_ALL", nil).OK() },
			"session ended by sessions:manage": func(session string) {
				manager.Do("SESSION.REVOKE", P{"session_id": session}).OK()
			},
			"actor's logout": func(string) { a.root.Do("AUTH.LOGOUT", nil).OK() },
			"actor's session ended": func(string) {
				here.Superadmin().Do("SESSION.REVOKE", P{"session_id": a.root.SessionID}).OK()
			},
			"actor no superadmin": func(string) {
				here.Superadmin().Do("USER.SET_SUPERADMIN", P{"user_id": a.root.UserID, "is_superadmin": false}).OK()
			},
			"actor disabled":  func(string) { here.Superadmin().Do("USER.DISABLE", P{"user_id": a.root.UserID}).OK() },
			"person disabled": func(string) { here.Superadmin().Do("USER.DISABLE", P{"user_id": a.ada.UserID}).OK() },
			"person a superadmin": func(string) {
				here.Superadmin().Do("USER.SET_SUPERADMIN", P{"user_id": a.ada.UserID, "is_superadmin": true}).OK()
			},
			"person's password": func(string) {
				here.Superadmin().Do("USER.SET_PASSWORD", P{"user_id": a.ada.UserID, "password": harness.Password}).OK()
			},
			"consent taken back":    func(string) { a.ada.Do("IMPERSONATION.SET_CONSENT", nil).OK() },
			"the policy forbids it": func(string) { restrict("", P{"impersonation_minutes": 0}) },
			"a workspace forbids it": func(string) {
				restrict(a.ada.OrgID, P{"impersonation_minutes": 0})
			},
			"the policy asks for a consent": func(string) { restrict("", P{"impersonation_consent": true}) },
			"the policy shortens it": func(string) {
				restrict("", P{"impersonation_minutes": 1})
				here.Clock.Advance(time.Minute)
				there.Clock.Advance(time.Minute)
			},
		} {
			a.root = here.Login("helper@example.com", harness.Password)
			a.ada.AccessToken = here.Login("ada@example.com", harness.Password).AccessToken
			begun := a.begin(nil)
			elsewhere := there.With(a.as.AccessToken)
			elsewhere.Do("USER.ME", nil).OK()
			end(begun.String("impersonation.session_id"))
			for where, by := range map[string]*harness.Actor{"here": a.as, "on the other replica": elsewhere} {
				if failure := by.Do("USER.ME", nil).Failure; failure == nil || failure.Code != fault.Auth {
					t.Errorf("%s: the token answers %v %s", name, failure, where)
				}
				if failure := by.Do("USER.UPDATE", P{"display_name": "Eve"}).Failure; failure == nil || failure.Code != fault.Auth {
					t.Errorf("%s: the token answers %v to what writes %s", name, failure, where)
				}
			}
			// The API is in the person's own workspace, which rests while they are disabled.
			if seen := api.Do("OAUTH.INTROSPECT", P{"token": a.as.AccessToken}); name != "person disabled" && (seen.Failure != nil || seen.Data["active"] != false) {
				t.Errorf("%s: introspection answers %v %v", name, seen.Data, seen.Failure)
			}
			for _, org := range []string{"", a.ada.OrgID} {
				restrict(org, P{"impersonation_minutes": nil, "impersonation_consent": nil})
			}
			back := here.Superadmin()
			back.Do("USER.SET_SUPERADMIN", P{"user_id": a.ada.UserID, "is_superadmin": false}).OK()
			back.Do("USER.ENABLE", P{"user_id": a.ada.UserID}).OK()
			back.Do("USER.ENABLE", P{"user_id": a.root.UserID}).OK()
			back.Do("USER.SET_SUPERADMIN", P{"user_id": a.root.UserID, "is_superadmin": true}).OK()
		}
	})
}

// One that the actor can be reached by no more stays ended, when the actor is back, too.
func TestImpersonationEndsWithItsTime(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, P{"ttl_minutes": 5})
		h.Clock.Advance(5*time.Minute - time.Second)
		a.as.Do("USER.ME", nil).OK()
		h.Clock.Advance(time.Second)
		a.as.Do("USER.ME", nil).Fails(fault.TokenExpired)
		if listed := a.ada.Do("IMPERSONATION.LIST", nil).OK().List("items"); listed[0]["active"] != false {
			t.Errorf("listed %v", listed)
		}
		a.root.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).OK() // which is no error
		if events := h.Events("impersonation.stopped"); len(events) != 0 {
			t.Errorf("told %v", events)
		}
	})
}

// Who has nothing to do with one learns nothing of it.
func TestOthersCannotStopAnImpersonation(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		bob := h.SignUp("bob@example.com")
		unknown := bob.Do("IMPERSONATION.STOP", P{"impersonation_id": "imp_01h455vb4pex5vsknk084sn02q"}).Fails(fault.NotFound)
		if got := bob.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).Fails(fault.NotFound); got.Failure.Message != unknown.Failure.Message {
			t.Errorf("an impersonation of others answers %q", got.Failure.Message)
		}
		first := a.as
		second := a.id
		a.begin(nil)
		first.Do("IMPERSONATION.STOP", P{"impersonation_id": a.id}).Fails(fault.NotFound) // another one of the same person
		bob.Do("IMPERSONATION.STOP", nil).Fails(fault.Validation).Field("/impersonation_id")
		a.root.Do("IMPERSONATION.STOP", nil).Fails(fault.Validation)
		key := h.With(a.ada.Do("API_KEY.CREATE", P{"name": "all", "scopes": []string{"*"}}).OK().String("key"))
		key.Do("IMPERSONATION.STOP", P{"impersonation_id": second}).Fails(fault.NotFound)
		if ended := h.Events("impersonation.stopped"); len(ended) != 0 {
			t.Errorf("told %v", ended)
		}
		first.Do("IMPERSONATION.STOP", nil).OK()
		ended := h.Events("impersonation.stopped")
		if len(ended) != 1 || ended[0].Origin.ActorID != a.root.UserID || ended[0].UserID != a.ada.UserID {
			t.Errorf("told %+v", ended)
		}
	})
}

// A person who goes takes what concerns them along; an actor who goes leaves it to the person.
func TestImpersonationsAndDeletedAccounts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		a := act(h, nil)
		helper := h.SignUp("helper@example.com")
		a.root.Do("USER.SET_SUPERADMIN", P{"user_id": helper.UserID, "is_superadmin": true}).OK()
		first := a
		first.root = h.Login("helper@example.com", harness.Password)
		first.begin(P{"reason": "By who goes"})
		a.root.Do("USER.DELETE", P{"user_id": helper.UserID}).OK()
		first.as.Do("USER.ME", nil).Fails(fault.Auth)
		if listed := a.ada.Do("IMPERSONATION.LIST", nil).OK().List("items"); len(listed) != 2 || listed[0]["reason"] != "By who goes" || listed[0]["actor_name"] != "" {
			t.Errorf("listed %v", listed)
		}
		a.root.Do("USER.DELETE", P{"user_id": a.ada.UserID}).OK()
		a.as.Do("USER.ME", nil).Fails(fault.Auth)
		if listed := a.root.Do("IMPERSONATION.LIST", nil).OK().List("items"); len(listed) != 0 {
			t.Errorf("listed %v", listed)
		}
		// The log keeps who did it.
		if events := h.Events("impersonation.started"); len(events) != 2 || events[1].Origin.ActorID != a.root.UserID {
			t.Errorf("told %v", events)
		}
	})
}
