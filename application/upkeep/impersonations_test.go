package upkeep_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/test/harness"
)

// Impersonations that nobody stopped end with their time or what they rest on, which is told once, by
// one of the replicas; with what else they rest on, their sessions are no more.
func TestImpersonationsEndOnce(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { impersonationsEndOnce(t, database) })
		})
	}
}

func impersonationsEndOnce(t *testing.T, database string) {
	replicas, keepers := replicate(t, database)
	h := replicas[0]
	ada, root := h.SignUp("ada@example.com"), h.Superadmin()
	begin := func(actor *harness.Actor, minutes int) (id string) {
		return actor.Do("IMPERSONATION.START", harness.P{"user_id": ada.UserID, "reason": "r", "ttl_minutes": minutes}).OK().String("impersonation.id")
	}
	begin(root, 5)
	begin(root, 60)
	stopped := begin(root, 5)
	root.Do("IMPERSONATION.STOP", harness.P{"impersonation_id": stopped}).OK()
	start(t, keepers...)
	endings := func(want int) map[impersonation.End]int {
		t.Helper()
		pass()
		counted := map[impersonation.End]int{}
		for _, e := range wantEvents(t, h, impersonation.KindExpired, want) {
			var content impersonation.Expired
			if err := json.Unmarshal(e.Data, &content); err != nil || e.UserID != ada.UserID || e.Origin.ActorKind != "system" {
				t.Errorf("told %+v (%v)", e, err)
			}
			counted[content.By]++
		}
		return counted
	}
	endings(0)
	for _, one := range replicas {
		one.Clock.Advance(5 * time.Minute)
	}
	if by := endings(1); by[impersonation.ByTime] != 1 {
		t.Errorf("told %v", by)
	}
	endings(1)
	root.Do("AUTH.LOGOUT", nil).OK()
	if by := endings(2); by[impersonation.ByActorSession] != 1 {
		t.Errorf("told %v", by)
	}
	if left := ada.Do("SESSION.LIST", nil).OK().List("items"); len(left) != 1 {
		t.Errorf("sessions %v", left)
	}
	root = h.Superadmin()
	begin(root, 60)
	ada.Do("IMPERSONATION.SET_CONSENT", nil).OK()
	if by := endings(3); by[impersonation.ByConsent] != 1 {
		t.Errorf("told %v", by)
	}
	begin(root, 60)
	ada.Do("SESSION.REVOKE_ALL", nil).OK()
	if by := endings(4); by[impersonation.BySession] != 1 {
		t.Errorf("told %v", by)
	}
	if listed := ada.Do("IMPERSONATION.LIST", harness.P{"active": true}).OK().List("items"); len(listed) != 0 {
		t.Errorf("listed %v", listed)
	}
}
