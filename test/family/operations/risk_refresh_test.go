package operations_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/test/harness"
)

// refreshed sends a refresh token from home by something.
func refreshed(h *harness.Service, client, token string) *harness.Reply {
	return h.Anonymous().From(home).By(client).Do("AUTH.REFRESH", P{"refresh_token": token})
}

// A session that goes on in another browser is assessed where it gets new tokens, once.
func TestRefreshElsewhere(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		known(h)
		weigh(h, P{"user_agent_change": 60})
		last := refreshed(h, firefox, riskEnter(h, home, firefox).OK().String("refresh_token")).OK()
		kept := func() []P { return assessments(h.With(last.String("access_token")), nil) }
		if got := kept(); len(got) != 0 {
			t.Errorf("the same browser is assessed: %v", got)
		}
		for range 2 {
			last = refreshed(h, chrome, last.String("refresh_token")).OK()
			if got := kept(); len(got) != 1 || riskNames(got[0]) != "new_device, user_agent_change" || got[0]["trigger"] != "refresh" || got[0]["device"] != "Chrome on Windows" {
				t.Errorf("assessed %v", got)
			}
		}
		for _, one := range h.With(last.String("access_token")).Do("SESSION.LIST", nil).OK().List("items") {
			if one["current"] == true && one["user_agent"] != chrome {
				t.Errorf("the session goes on in %v", one)
			}
		}
		last = refreshed(h, firefox, last.String("refresh_token")).OK()
		if got := kept(); len(got) != 2 {
			t.Errorf("back in the first browser: assessed %v", got)
		}
		weigh(h, P{"user_agent_change": 0})
		last = refreshed(h, chrome, last.String("refresh_token")).OK()
		if got := kept(); len(got) != 2 {
			t.Errorf("without a weight: assessed %v", got)
		}
	})
}

// At high risk new tokens ask for a second factor where there is one, which only another login
// takes; who goes on as before still gets them.
func TestRefreshAtHighRisk(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, app := secured(h)
		weigh(h, P{"user_agent_change": 90})
		h.Clock.Advance(harness.Step)
		challenge := riskEnter(h, home, firefox).OK().String("challenge_token")
		token := h.Anonymous().From(home).By(firefox).Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge, "code": app.Code()}).OK().String("refresh_token")
		for range 2 {
			refreshed(h, chrome, token).Fails(fault.Auth)
		}
		if got := assessments(alice, nil); len(got) != 2 || got[0]["level"] != "high" {
			t.Errorf("assessed %v", got)
		}
		alerts := 0
		for _, kind := range notices(t, h, alice) {
			if kind == notice.RiskyLogin {
				alerts++
			}
		}
		if alerts != 1 {
			t.Errorf("told %d times", alerts)
		}
		refreshed(h, firefox, token).OK()
	})
}

// Flows read the risk of a session that is to get new tokens.
func TestFlowsReadTheRiskOfARefresh(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, root := known(h), h.Superadmin()
		flow := func(who *harness.Actor, name, scope, expression string, then P) {
			who.Do("FLOW.CREATE", P{
				"name": name, "trigger": "refresh", "scope": scope, "enabled": true, "force": true,
				"nodes": []P{{"id": "start", "type": "start"}, {"id": "if", "type": "condition", "config": P{"expression": expression}}, then},
				"edges": []P{{"from": "start", "to": "if"}, {"from": "if", "to": then["id"], "when": "true"}},
			}).OK()
		}
		flow(alice, "moved", "workspace", "'user_agent_change' in risk.signals && history.logins_24h > 0", P{"id": "deny", "type": "deny", "config": P{"reason": "Moved."}})
		token := riskEnter(h, home, firefox).OK().String("refresh_token")
		for range 2 {
			if f := refreshed(h, chrome, token).Fails(fault.FlowBlocked).Failure.Flow; f == nil || f.Name != "moved" {
				t.Errorf("denied by %+v", f)
			}
		}
		again := refreshed(h, firefox, token).OK().String("refresh_token")

		// What the flow of a workspace looks up does not lose the run of the instance's.
		flow(root, "asks", "instance", "true", P{"id": "mfa", "type": "require_mfa"})
		refreshed(h, firefox, again).Fails(fault.Auth)
		if runs := root.Do("FLOW.RUN_LIST", P{"name": "asks"}).OK().List("items"); len(runs) != 1 || runs[0]["decision"] != "require_mfa" {
			t.Errorf("the runs of the instance are %v", runs)
		}
	})
}
