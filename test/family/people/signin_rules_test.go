package people_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// guarding is a graph that denies people of a mail domain.
func guarding(domain string) P {
	return P{
		"nodes": []P{
			{"id": "start", "type": "start"},
			{"id": "guest", "type": "condition", "config": P{"expression": "user.email_domain == '" + domain + "'"}},
			{"id": "deny", "type": "deny", "config": P{"reason": "Not here."}},
		},
		"edges": []P{{"from": "start", "to": "guest"}, {"from": "guest", "to": "deny", "when": "true"}},
	}
}

// guarded enables a login flow of the workspace that an actor is in.
func guarded(in *harness.Actor, domain string) {
	graph := guarding(domain)
	in.Do("FLOW.CREATE", P{
		"name": "guard", "trigger": "login", "scope": "workspace", "nodes": graph["nodes"], "edges": graph["edges"], "enabled": true, "force": true,
	}).OK()
}

// mustSwitch checks that a call was refused because of the sign-in rules of a workspace.
func mustSwitch(t *testing.T, what string, reply *harness.Reply) {
	t.Helper()
	if message := reply.Fails(fault.Auth).Failure.Message; !strings.Contains(message, "TEAM.SWITCH") {
		t.Errorf("%s: refused by %q, which does not name TEAM.SWITCH", what, message)
	}
}

// A session acts in another workspace only after it met the sign-in rules there.
func TestVisitsMeetTheSignInRules(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, root := founded(here, "ada@example.com", "Engines"), here.Superadmin()
		for _, address := range []string{"grace@example.com", "eve@guests.example"} {
			guest := here.SignUp(address)
			root.Do("TEAM.MEMBER_ADD", P{"user_id": guest.UserID, "org_id": ada.OrgID, "role": "admin"}).OK()
		}
		grace, eve := there.Login("grace@example.com", harness.Password), there.Login("eve@guests.example", harness.Password)
		eve.Do("FLOW.LIST", P{"org_id": ada.OrgID, "scope": "workspace"}).OK()
		guarded(ada, "guests.example")
		for command, params := range map[string]P{
			"TEAM.GET": {}, "TEAM.LIST_MEMBERS": {}, "TEAM.UPDATE": {"name": "Mine"}, "APP.LIST": {}, "USER.LIST": {},
			"FLOW.DISABLE": {"name": "guard", "scope": "workspace"}, "POLICY.SET": {"kind": "mfa", "values": P{"required": false}},
		} {
			params["org_id"] = ada.OrgID
			mustSwitch(t, command, eve.Do(command, params))
		}
		eve.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.FlowBlocked)
		mustSwitch(t, "after a refused switch", eve.Do("TEAM.GET", P{"org_id": ada.OrgID}))

		mustSwitch(t, "before a switch", grace.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		grace = switched(there, switched(there, grace, ada.OrgID), grace.OrgID)
		grace.Do("TEAM.GET", P{"org_id": ada.OrgID}).OK()
		ada.Do("FLOW.UPDATE", P{"name": "guard", "scope": "workspace", "nodes": guarding("example.org")["nodes"]}).OK()
		mustSwitch(t, "a new version", grace.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		grace = switched(there, switched(there, grace, ada.OrgID), grace.OrgID)
		ada.Do("TEAM.UPDATE", P{"allowed_methods": []string{"password", "passkey"}}).OK()
		mustSwitch(t, "narrowed methods", grace.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		ada.Do("TEAM.UPDATE", P{"allowed_methods": []string{}}).OK()
		mustSwitch(t, "rules that were not met", grace.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		ada.Do("FLOW.DISABLE", P{"name": "guard", "scope": "workspace"}).OK()
		grace.Do("TEAM.GET", P{"org_id": ada.OrgID}).OK()
		eve.Do("TEAM.GET", P{"org_id": ada.OrgID}).OK()
		root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{"passkey"}}).OK()
		mustSwitch(t, "another method", eve.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{}}).OK()
	})
}

// A key of another workspace is renewed and widened only where the sign-in rules there are met.
func TestKeysMeetTheSignInRules(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := founded(here, "ada@example.com", "Engines")
		eve := here.SignUp("eve@guests.example")
		here.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": ada.OrgID, "role": "admin"}).OK()
		made := eve.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"apps:read"}, "org_id": ada.OrgID}).OK()
		guarded(ada, "guests.example")
		eve = there.Login("eve@guests.example", harness.Password)
		for command, params := range map[string]P{"API_KEY.ROTATE": {}, "API_KEY.UPDATE": {"scopes": []string{"apps:read", "flows:write"}}} {
			params["key_id"] = made.String("api_key.id")
			eve.Do(command, params).Fails(fault.Validation).Field("/org_id")
			params["org_id"] = ada.OrgID
			mustSwitch(t, command, eve.Do(command, params))
		}
		eve.Do("API_KEY.REVOKE", P{"key_id": made.String("api_key.id")}).OK()
	})
}

// Tightened rules hold for the sessions in the workspace from their next refresh.
func TestTightenedRulesHoldAtTheNextRefresh(t *testing.T) {
	t.Parallel()
	for name, tighten := range map[string]func(ada *harness.Actor){
		"flow": func(ada *harness.Actor) { guarded(ada, "guests.example") },
		"factor": func(ada *harness.Actor) {
			ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": true}}).OK()
		},
		"methods": func(ada *harness.Actor) { ada.Do("TEAM.UPDATE", P{"allowed_methods": []string{"passkey"}}).OK() },
		"version": func(ada *harness.Actor) {
			guarded(ada, "nobody.example")
			ada.Do("FLOW.UPDATE", P{"name": "guard", "scope": "workspace", "nodes": guarding("guests.example")["nodes"]}).OK()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
				ada := founded(here, "ada@example.com", "Engines")
				device := ada.Passkey()
				ada.EnrollApp()
				ada = after(here, here.LoginByPasskey(device).OK())
				home := here.SignUp("eve@guests.example").OrgID
				here.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": here.Login("eve@guests.example", harness.Password).UserID, "org_id": ada.OrgID, "role": "member"}).OK()
				eve := teamEntered(there, "eve@guests.example", ada.OrgID)
				tighten(ada)
				eve.Do("TEAM.GET", nil).OK()
				mustSwitch(t, "a new proof of presence", eve.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}))
				mustSwitch(t, "refresh", refreshed(there, eve.RefreshToken))
				if recorded := here.Events(session.KindTeamSwitched); len(recorded) == 0 || recorded[0].OrgID != home || recorded[0].UserID != eve.UserID {
					t.Errorf("told %+v", recorded)
				}
				eve.Do("TEAM.GET", nil).Fails(fault.TokenExpired)
				again := after(there, refreshed(there, eve.RefreshToken).OK())
				if again.OrgID != home || again.SessionID != eve.SessionID {
					t.Errorf("the next refresh leads to %s by %s, want the personal workspace by the same session", again.OrgID, again.SessionID)
				}
				mustSwitch(t, "a visit", again.Do("TEAM.GET", P{"org_id": ada.OrgID}))
				// Who meets the rules stays.
				stays := after(there, refreshed(there, ada.RefreshToken).OK())
				if stays.OrgID != ada.OrgID {
					t.Errorf("the refresh of another session leads to %s", stays.OrgID)
				}
				after(there, refreshed(there, stays.RefreshToken).OK())
			})
		})
	}
}

// Who signs up by an invitation has met no rules of the workspace yet.
func TestInvitedPeopleMeetTheSignInRules(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := founded(h, "ada@example.com", "Engines")
		guarded(ada, "guests.example")
		token, _ := invited(h, ada, "eve@guests.example", "member")
		made := h.Anonymous().Do("AUTH.SIGNUP", P{"email": "eve@guests.example", "password": harness.Password, "display_name": "Eve", "invitation_token": token}).OK()
		eve := h.With(made.String("access_token"))
		mustSwitch(t, "sign-up by invitation", eve.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		eve.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.FlowBlocked)

		h.SignUp("mallory@guests.example")
		token, _ = invited(h, ada, "mallory@guests.example", "member")
		mallory := h.Login("mallory@guests.example", harness.Password)
		mallory.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).OK()
		mustSwitch(t, "an accepted invitation", mallory.Do("TEAM.GET", P{"org_id": ada.OrgID}))
	})
}

// A workspace without a flow of their own trigger decides about passkeys by its login flow.
func TestEveryWayInMeetsTheLoginFlow(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := founded(h, "ada@example.com", "Engines")
		eve := h.SignUp("eve@guests.example")
		h.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
		device := switched(h, eve, ada.OrgID).Passkey() // the workspace last active
		guarded(ada, "guests.example")
		h.LoginByPasskey(device).Fails(fault.FlowBlocked)
		begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "eve@guests.example"}).OK()
		h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{
			"challenge_id": begun.String("challenge_id"), "code": h.MailedCode("eve@guests.example"), "org_id": ada.OrgID,
		}).Fails(fault.FlowBlocked)
	})
}

// Sessions of a release that did not record what they met count as having met the rules of the
// workspace that they are active in, as these were when they began.
func TestUnrecordedSessionsMetTheRules(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, root := founded(h, "ada@example.com", "Engines"), h.Superadmin()
		eve := h.SignUp("eve@guests.example")
		root.Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
		forget := func() {
			if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE sessions SET met = ''`); err != nil {
				t.Fatal(err)
			}
		}
		before := teamEntered(h, "eve@guests.example", ada.OrgID)
		guarded(ada, "nobody.example")
		since := teamEntered(h, "eve@guests.example", ada.OrgID)
		elsewhere := teamEntered(h, "eve@guests.example", eve.OrgID)
		ada.Do("TEAM.GET", nil).OK()
		forget()
		mustSwitch(t, "a visit", elsewhere.Do("TEAM.GET", P{"org_id": ada.OrgID}))
		if got := after(h, refreshed(h, since.RefreshToken).OK()); got.OrgID != ada.OrgID {
			t.Errorf("a session begun under the rules moved to %s", got.OrgID)
		}
		h.Clock.Advance(harness.Step)
		ada.Do("FLOW.UPDATE", P{"name": "guard", "scope": "workspace", "nodes": guarding("guests.example")["nodes"]}).OK()
		forget()
		mustSwitch(t, "a session from before", refreshed(h, before.RefreshToken))
	})
}

// A person who joins a workspace by the domain of their address, and by that very login, meets
// its policy, too.
func TestJoiningByADomainMeetsThePolicy(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := founded(h, "ada@example.com", "Engines")
		verified(h, "grace@engines.example")
		ada.Do("TEAM.DOMAIN_VERIFY", P{"domain_id": claimed(h, ada, P{"domain": "engines.example", "auto_join": true})}).OK()
		ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": true}}).OK()
		in := h.Anonymous().Do("AUTH.LOGIN", P{"email": "grace@engines.example", "password": harness.Password, "org_id": ada.OrgID}).OK()
		if in.Has("access_token") || len(in.Strings("required_actions")) == 0 {
			t.Errorf("answered %v, want required actions", in.Data)
		}
	})
}

// Who acts as somebody meets the sign-in rules of the workspace, or acts in the personal one.
func TestImpersonationsMeetTheSignInRules(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, root := founded(h, "ada@example.com", "Engines"), h.Superadmin()
		eve := h.SignUp("eve@guests.example")
		root.Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
		teamEntered(h, "eve@guests.example", ada.OrgID)
		acts := func() *harness.Actor {
			return h.With(root.Do("IMPERSONATION.START", P{"user_id": eve.UserID, "reason": "Ticket 4711"}).OK().String("access_token"))
		}
		where := func(as *harness.Actor) string { return as.Do("AUTH.WHOAMI", nil).OK().String("org_id") }
		if got := where(acts()); got != ada.OrgID {
			t.Errorf("acts in %s, want the workspace last active", got)
		}
		for what, tighten := range map[string]func(){
			"methods": func() { root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{"passkey"}}).OK() },
			"factor": func() {
				ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": true}}).OK()
			},
			"flow": func() { guarded(ada, "guests.example") },
		} {
			tighten()
			as := acts()
			if got := where(as); got != eve.OrgID {
				t.Errorf("%s: acts in %s, want the personal workspace", what, got)
			}
			mustSwitch(t, what, as.Do("TEAM.GET", P{"org_id": ada.OrgID}))
			ada.Do("TEAM.UPDATE", P{"allowed_methods": []string{}}).OK()
			ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": false}}).OK()
		}
		ada.Do("FLOW.UPDATE", P{"name": "guard", "scope": "workspace", "nodes": guarding("nobody.example")["nodes"]}).OK()
		if got := where(acts()); got != ada.OrgID {
			t.Errorf("acts in %s, although the flow allows it", got)
		}
	})
}
