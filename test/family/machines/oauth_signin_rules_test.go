package machines_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// guestFlow enables a flow of the caller's workspace that denies people of guests.example.
func guestFlow(by *harness.Actor, trigger string) {
	by.Do("FLOW.CREATE", P{
		"name": trigger + "-guard", "trigger": trigger, "scope": "workspace", "enabled": true, "force": true,
		"nodes": []P{
			{"id": "start", "type": "start"},
			{"id": "guest", "type": "condition", "config": P{"expression": "user.email_domain == 'guests.example'"}},
			{"id": "deny", "type": "deny", "config": P{"reason": "Not here."}},
		},
		"edges": []P{{"from": "start", "to": "guest"}, {"from": "guest", "to": "deny", "when": "true"}},
	}).OK()
}

// guests are a workspace of ada, its app, and eve of guests.example who acts in it.
type guests struct {
	ada, eve *harness.Actor
	wiki     oauthMachine
}

func newGuests(h *harness.Service) guests {
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	enter := func(who *harness.Actor) *harness.Actor {
		return h.With(who.Do("TEAM.SWITCH", P{"org_id": org}).OK().String("access_token"))
	}
	eve := h.SignUp("eve@guests.example")
	h.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": org, "role": "member"}).OK()
	ada = enter(ada)
	return guests{ada, enter(eve), wiki(ada)}
}

// given returns the tokens that eve lets the app have.
func (g guests) given(t *testing.T, h *harness.Service) *harness.Reply {
	t.Helper()
	return g.wiki.redeem(h, codeOf(t, g.eve, P{"scope": "openid email offline_access"})).OK()
}

// Tightened sign-in rules of a workspace hold for grants from their next refresh or exchange.
func TestGrantsMeetTheSignInRules(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		g := newGuests(here)
		search := exchanger(g.ada, "search", "wiki")
		before := g.given(t, here)
		guestFlow(g.ada, "login")
		there.With(before.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
		refusedFor(t, "a refresh", g.wiki.refresh(there, before.String("refresh_token")), "invalid_grant")
		refusedFor(t, "an exchange", search.exchange(there, before.String("access_token"), nil), "invalid_grant")
		during := g.given(t, here) // her session is still in
		refusedFor(t, "a refresh of what she gave since", g.wiki.refresh(there, during.String("refresh_token")), "invalid_grant")

		own := g.wiki.redeem(here, codeOf(t, g.ada, P{"scope": "openid offline_access"})).OK()
		g.wiki.refresh(there, own.String("refresh_token")).OK() // ada meets them

		g.ada.Do("FLOW.DISABLE", P{"name": "login-guard", "scope": "workspace"}).OK()
		g.wiki.refresh(there, before.String("refresh_token")).OK()
		search.exchange(there, during.String("access_token"), nil).OK()
	})
}

// Flows with the trigger refresh decide about refreshes and exchanges, and not about codes.
func TestFlowsDecideAboutGrants(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		g := newGuests(here)
		search := exchanger(g.ada, "search", "wiki")
		before := g.given(t, here)
		guestFlow(g.ada, "refresh")
		g.wiki.refresh(there, before.String("refresh_token")).Fails(fault.FlowBlocked)
		search.exchange(there, before.String("access_token"), nil).Fails(fault.FlowBlocked)
		after := g.given(t, here)
		g.wiki.refresh(there, "made-up").Fails(fault.Validation)
		g.ada.Do("FLOW.DISABLE", P{"name": "refresh-guard", "scope": "workspace"}).OK()
		next := g.wiki.refresh(there, before.String("refresh_token")).OK()
		g.wiki.refresh(there, next.String("refresh_token")).OK()
		search.exchange(there, after.String("access_token"), nil).OK()
		if denied := g.ada.Do("FLOW.RUN_LIST", P{"name": "refresh-guard", "decision": "deny"}).OK(); len(denied.List("items")) != 2 {
			t.Errorf("the runs of a refresh and an exchange: %v", denied.Data)
		}
	})
}
