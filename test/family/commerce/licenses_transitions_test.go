package commerce_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// transitions are what each command comes to in each state: the state or code after it.
func transitions() map[string]map[string]string {
	row := func(active, suspended, expired, revoked string) map[string]string {
		return map[string]string{"active": active, "suspended": suspended, "expired": expired, "revoked": revoked}
	}
	byKey := row("valid", "suspended", "expired", "revoked")
	return map[string]map[string]string{
		"SUSPEND": row("suspended", "refused", "suspended", "refused"), "REINSTATE": row("refused", "active", "refused", "refused"),
		"REVOKE": row("revoked", "revoked", "revoked", "revoked"), "UPDATE": row("active", "suspended", "active", "refused"),
		"ROTATE_KEY": row("active", "suspended", "expired", "refused"), "TRANSFER": row("active", "refused", "refused", "refused"),
		"VALIDATE": byKey, "MACHINE_ACTIVATE": byKey, "MACHINE_HEARTBEAT": byKey, "LEASE_ACQUIRE": byKey, "USAGE_INCREMENT": byKey, "OFFLINE_CHECKOUT": byKey,
	}
}

// What may be done with a license in each of its states, and what each answers.
func TestEveryState(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada := vendor(h)
		terms := policy(ada, P{
			"floating": true, "seats": 3, "max_machines": 3, "offline_days": 2, "duration_days": 30,
			"meters": P{"m": P{"limit": 9, "period": "day", "on_limit": "deny"}},
		})
		type made struct{ command, state, id, key string }
		var all []made
		for command, states := range transitions() {
			for state := range states {
				id, key := issue(ada, P{"policy_id": terms})
				if state != "expired" {
					ada.Do("LICENSE.UPDATE", P{"license_id": id, "expires_at": h.Clock.Now().Add(9000 * time.Hour)}).OK()
				}
				h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "m"}).OK()
				if by := map[string]string{"suspended": "SUSPEND", "revoked": "REVOKE"}[state]; by != "" {
					ada.Do("LICENSE."+by, P{"license_id": id}).OK()
				}
				all = append(all, made{command, state, id, key})
			}
		}
		h.Clock.Advance(30 * 24 * time.Hour)
		ada = h.Login("ada@example.com", harness.Password)
		for _, one := range all {
			want := transitions()[one.command][one.state]
			if got := comesTo(h, ada, one.command, one.id, one.key); got != want {
				t.Errorf("%s of one that is %s: %s, want %s", one.command, one.state, got, want)
			}
		}
	})
}

// comesTo calls a command about a license, and returns the code it answers, or else the
// state after it, or that it was refused.
func comesTo(h *harness.Service, ada *harness.Actor, command, id, key string) string {
	by, params := ada, P{"license_id": id}
	switch command {
	case "SUSPEND", "REINSTATE", "REVOKE", "ROTATE_KEY":
	case "UPDATE":
		params["expires_at"] = h.Clock.Now().Add(time.Hour)
	case "TRANSFER":
		params["from_machine"], params["to_machine"] = "m", "n"
	case "USAGE_INCREMENT":
		by, params = h.Anonymous(), P{"key": key, "meter": "m"}
	default:
		by, params = h.Anonymous(), P{"key": key, "machine": "m"}
	}
	answer := by.Do("LICENSE."+command, params)
	if answer.Failure != nil {
		answer.Fails(fault.Validation)
		return "refused"
	}
	if code, answers := answer.Data["code"]; answers {
		return fmt.Sprint(code)
	}
	return ada.Do("LICENSE.GET", P{"license_id": id}).OK().String("license.status")
}
