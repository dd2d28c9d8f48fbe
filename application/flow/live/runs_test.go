package live_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, w *world) {
		address, who := w.someone()
		login := func() *harness.Reply {
			return w.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password})
		}
		enable(w.root, "instance", "early", "login", when("ip.version == 6", deny()))
		login().OK()
		w.root.Do("FLOW.UPDATE", P{"name": "early", "scope": "instance", "nodes": when("user.email_verified", deny())["nodes"], "force": true}).OK()
		login().OK()
		w.root.Do("FLOW.UPDATE", P{"name": "early", "scope": "instance", "nodes": when("!user.email_verified", deny())["nodes"], "force": true}).OK()
		login().Fails(fault.FlowBlocked)
		w.root.Do("FLOW.UPDATE", P{"name": "early", "scope": "instance", "nodes": when("ip.version == 4", deny())["nodes"], "force": true}).OK()
		login().Fails(fault.FlowBlocked)

		runs := w.root.Do("FLOW.RUN_LIST", nil).OK().List("items")
		var came []string
		for _, one := range runs {
			came = append(came, fmt.Sprint(one["version"], one["decision"], one["user_id"] == who.UserID))
		}
		if fmt.Sprint(came) != "[4denyfalse 3denytrue 2allowtrue 1allowtrue]" {
			t.Fatalf("runs %v", came)
		}
		if denied := w.root.Do("FLOW.RUN_LIST", P{"decision": "deny", "user_id": who.UserID}).OK().List("items"); len(denied) != 1 {
			t.Errorf("denied are %v", denied)
		}
		one := w.root.Do("FLOW.RUN_GET", P{"run_id": runs[1]["id"]}).OK()
		if path := one.List("path"); len(path) != 3 || path[2]["node"] != "deny" || one.String("context_redacted.user.id") != who.UserID ||
			one.Has("context_redacted.ip.address") || !one.Has("context_redacted.ip.version") {
			t.Errorf("the run is %v", one.Data)
		}
		who.Do("FLOW.RUN_GET", P{"run_id": runs[1]["id"]}).Fails(fault.NotFound)

		tested := w.root.Do("FLOW.BACKTEST", P{"name": "early", "version": 1}).OK()
		if tested.Int("runs") != 4 || tested.Int("summary.newly_allowed") != 2 || tested.Int("summary.unchanged") != 2 {
			t.Errorf("version 1 would come to %v", tested.Data)
		}
		strict := when("'owner' in user.roles", P{"id": "mfa", "type": "require_mfa"})
		tested = w.root.Do("FLOW.BACKTEST", P{"name": "early", "nodes": strict["nodes"], "edges": strict["edges"]}).OK()
		if tested.Int("summary.newly_challenged") != 3 || len(tested.List("changed")) != 3 {
			t.Errorf("a draft would come to %v", tested.Data)
		}
		who.Do("USER.DELETE", P{"password": harness.Password}).OK()
		if left := w.root.Do("FLOW.RUN_LIST", nil).OK().List("items"); len(left) != 1 {
			t.Errorf("%d runs are left without their person", len(left))
		}
	})
}
