package people_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestConditionsOfTuples(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		publish(ada, model).OK()
		conditional := func(condition P) *harness.Reply {
			made := tuple("document:1#owner@user:x")
			made["condition"] = condition
			return ada.Do("RELATION.WRITE", P{"tuples": []P{made}})
		}
		conditional(P{"name": "absent"}).Fails(fault.Validation).Field("/tuples/0/condition")
		conditional(P{"name": "in_time", "context": P{"other": 1}}).Fails(fault.Validation).Field("/tuples/0/condition/context")
		conditional(P{"name": "in_time", "context": P{"until": "soon"}}).Fails(fault.Validation).Field("/tuples/0/condition/context")
		conditional(P{"name": "in_time", "context": P{"until": strings.Repeat("x", 5000)}}).Fails(fault.Validation).Field("/tuples/0/condition/context")
		conditional(P{"name": "in_time", "context": P{"until": "2026-01-01T00:00:00Z"}}).OK()
		stored := ada.Do("RELATION.LIST", nil).OK().List("items")[0]["condition"].(P)
		if diff := cmp.Diff(P{"name": "in_time", "context": P{"until": "2026-01-01T00:00:00Z"}}, stored); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		list := func(now string) *harness.Reply {
			return ada.Do("RELATION.OBJECT_LIST", P{
				"subject": "user:x", "relation": "viewer", "type": "document", "context": P{"now": now, "until": "2030-01-01T00:00:00Z"},
			})
		}
		// The tuple's own value goes before that of the question.
		if early, late := list("2025-01-01T00:00:00Z").OK(), list("2026-01-02T00:00:00Z").OK(); len(early.Data["items"].([]any)) != 1 || len(late.Data["items"].([]any)) != 0 {
			t.Errorf("listed %v, then %v", early.Data, late.Data)
		}
		ada.Do("RELATION.CHECK", tuple("document:1#owner@user:x")).Fails(fault.Validation).Field("/context")
		ada.Do("RELATION.BULK_CHECK", P{"checks": []P{tuple("document:1#blocked@user:x"), tuple("document:1#owner@user:x")}}).
			Fails(fault.Validation).Field("/checks/1/context")
	})
}
