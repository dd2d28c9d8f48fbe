package commerce_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// both runs a test on each database.
func both(t *testing.T, test func(t *testing.T, open func() *harness.Service)) {
	t.Helper()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		test(t, func() *harness.Service { return harness.On(t, database) })
	})
}

// vendor signs somebody up who sells a product.
func vendor(h *harness.Service) *harness.Actor {
	ada := h.SignUp("ada@example.com")
	ada.Do("PRODUCT.CREATE", P{"name": "Drafting Table", "slug": "table"}).OK()
	return ada
}

// issue issues a license for the product, and returns its id and key.
func issue(of *harness.Actor, params P) (id, key string) {
	call := P{"product_id": "table"}
	for name, value := range params {
		call[name] = value
	}
	made := of.Do("LICENSE.ISSUE", call).OK()
	return made.String("license.id"), made.String("key")
}

func validate(h *harness.Service, key string, params P) string {
	call := P{"key": key}
	for name, value := range params {
		call[name] = value
	}
	return h.Anonymous().Do("LICENSE.VALIDATE", call).OK().String("code")
}

// A license from its policy to its end.
func TestALicense(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, buyer, eve := vendor(h), h.SignUp("buyer@example.com"), h.SignUp("eve@example.com")
		policy := ada.Do("LICENSE.POLICY_CREATE", P{
			"name": "Year", "product_id": "table", "duration_days": 365, "max_machines": 2, "features": P{"pdf": true}, "on_expiry": "grace", "grace_days": 7,
			"meters": P{"exports": P{"limit": 10, "period": "month", "on_limit": "deny"}},
		}).OK().String("policy.id")
		ada.Do("LICENSE.POLICY_CREATE", P{"name": "Odd", "on_expiry": "grace"}).Fails(fault.Validation).Field("/grace_days")
		ada.Do("LICENSE.POLICY_CREATE", P{"name": "Odd", "meters": P{"Exports": P{"limit": 1, "period": "day", "on_limit": "deny"}}}).Fails(fault.Validation).Field("/meters/Exports")
		ada.Do("PRODUCT.UPDATE", P{"product_id": "table", "license_policy_id": policy}).OK()
		if got := ada.Do("PRODUCT.GET", P{"product_id": "table"}).OK().Int("license_policy.duration_days"); got != 365 {
			t.Errorf("the policy of the product holds %d days", got)
		}

		id, key := issue(ada, P{"user_id": buyer.UserID, "max_machines": 1})
		if got := validate(h, key, nil); got != "valid" {
			t.Errorf("a new license is %s", got)
		}
		if got := validate(h, key, P{"features": []string{"pdf", "cad"}}); got != "feature_missing" {
			t.Errorf("without the feature it is %s", got)
		}
		ada.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": "chair"}).OK()
		for ref, want := range map[string]string{"table": "valid", "chair": "product_mismatch", "nothing": "product_mismatch"} {
			if got := validate(h, key, P{"product_id": ref}); got != want {
				t.Errorf("for the product %s it is %s, want %s", ref, got, want)
			}
		}
		if got := buyer.Do("LICENSE.LIST", nil).OK().List("items"); len(got) != 1 || got[0]["id"] != id {
			t.Errorf("its owner lists %v", got)
		}
		if got := buyer.Do("LICENSE.GET", P{"license_id": id}).OK(); got.Int("license.max_machines") != 1 || fmt.Sprint(got.Strings("license.overrides")) != "[max_machines]" {
			t.Errorf("its owner sees %v", got.Data)
		}
		eve.Do("LICENSE.GET", P{"license_id": id}).Fails(fault.NotFound)
		eve.Do("LICENSE.GET", P{"key": key}).Fails(fault.NotFound)
		eve.Do("LICENSE.REVOKE", P{"license_id": id}).Fails(fault.NotFound)
		eve.Do("LICENSE.ISSUE", P{"product_id": "table"}).Fails(fault.NotFound)
		eve.Do("LICENSE.POLICY_GET", P{"policy_id": policy}).Fails(fault.NotFound)
		if got := ada.Do("LICENSE.POLICY_GET", P{"policy_id": policy}).OK().Int("license_count"); got != 1 {
			t.Errorf("%d licenses have the policy", got)
		}
		ada.Do("LICENSE.POLICY_DELETE", P{"policy_id": policy}).Fails(fault.Validation)

		ada.Do("LICENSE.SUSPEND", P{"license_id": id, "reason": "unpaid"}).OK()
		if got := validate(h, key, nil); got != "suspended" {
			t.Errorf("a suspended license is %s", got)
		}
		ada.Do("LICENSE.SUSPEND", P{"license_id": id}).Fails(fault.Validation)
		ada.Do("LICENSE.REINSTATE", P{"license_id": id}).OK()
		rotated := ada.Do("LICENSE.ROTATE_KEY", P{"license_id": id, "overlap_hours": 1}).OK().String("key")
		for i, want := range []string{"valid", "unknown"} {
			if a, b := validate(h, key, nil), validate(h, rotated, nil); a != want || b != "valid" {
				t.Errorf("after the rotation %d: %s and %s", i, a, b)
			}
			h.Clock.Advance(time.Hour)
		}

		h.Clock.Advance(365 * 24 * time.Hour)
		if got := validate(h, rotated, nil); got != "grace" {
			t.Errorf("after its days it is %s", got)
		}
		h.Clock.Advance(7 * 24 * time.Hour)
		if got := validate(h, rotated, nil); got != "expired" {
			t.Errorf("after its grace it is %s", got)
		}
		ada = h.Login("ada@example.com", harness.Password)
		if got := ada.Do("LICENSE.LIST", P{"status": "expired"}).OK().List("items"); len(got) != 1 {
			t.Errorf("%d licenses are listed as expired", len(got))
		}
		ada.Do("LICENSE.UPDATE", P{"license_id": id, "expires_at": h.Clock.Now().Add(24 * time.Hour)}).OK()
		if got := validate(h, rotated, nil); got != "valid" {
			t.Errorf("renewed it is %s", got)
		}
		ada.Do("LICENSE.REVOKE", P{"license_id": id, "reason": "refunded"}).OK()
		ada.Do("LICENSE.REVOKE", P{"license_id": id}).OK()
		if got := validate(h, rotated, nil); got != "revoked" {
			t.Errorf("revoked it is %s", got)
		}
		ada.Do("LICENSE.UPDATE", P{"license_id": id, "seats": 3}).Fails(fault.Validation)
		ada.Do("LICENSE.REINSTATE", P{"license_id": id}).Fails(fault.Validation)
		if n := len(h.Events("license.revoked")); n != 1 {
			t.Errorf("%d revocations are told", n)
		}
	})
}

// What is not a key of ours is unknown, however it looks; one that is, is read as people
// write it.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		_, key := issue(vendor(h), P{"max_machines": 1})
		never := string(license.NewKey(random('x'))) // it has the form, and was never handed out
		for _, text := range []string{never, "LIC-", "x", key[:len(key)-1], "LIC-00000-00000-00000-00000-00000", "LIC-01234-56789-ABCDE-FGHJK-00000"} {
			answer := h.Anonymous().Do("LICENSE.VALIDATE", P{"key": text}).OK()
			if answer.String("code") != "unknown" || answer.Data["license"] != nil || answer.Data["valid"] != false {
				t.Errorf("%q: %v", text, answer.Data)
			}
			for _, command := range []string{"MACHINE_ACTIVATE", "MACHINE_HEARTBEAT", "LEASE_ACQUIRE", "OFFLINE_CHECKOUT"} {
				if got := h.Anonymous().Do("LICENSE."+command, P{"key": text, "machine": "m"}).OK().String("code"); got != "unknown" {
					t.Errorf("%s of %q: %s", command, text, got)
				}
			}
		}
		look := strings.NewReplacer("1", "i", "0", "o")
		for _, text := range []string{
			strings.ToLower(key), strings.ReplaceAll(key, "-", ""), strings.ReplaceAll(key, "-", " "), key[len("LIC-"):], " " + look.Replace(key) + " ",
			strings.NewReplacer("1", "L").Replace(key),
		} {
			if got := validate(h, text, nil); got != "valid" {
				t.Errorf("written %q it is %s", text, got)
			}
			if got := h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": text, "machine": "m"}).OK().String("code"); got != "valid" {
				t.Errorf("activated by %q it is %s", text, got)
			}
		}
	})
}

// That a license was seen is written once a minute, with how often.
func TestValidationsAreWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada := vendor(h)
		id, key := issue(ada, nil)
		for range 5 {
			validate(h, key, nil)
		}
		first := h.Clock.Now()
		h.Clock.Advance(time.Minute)
		validate(h, key, nil)
		events := h.Events("license.validated")
		if len(events) != 2 {
			t.Fatalf("%d events, want 2", len(events))
		}
		seen, err := time.Parse(time.RFC3339Nano, ada.Do("LICENSE.GET", P{"license_id": id}).OK().String("license.last_seen_at"))
		if err != nil || seen.Before(first.Add(time.Minute).Truncate(time.Microsecond)) {
			t.Errorf("last seen %s (%v), want %s", seen, err, first.Add(time.Minute))
		}
	})
}

// Of 100 callers of two replicas who take the last place, one gets it.
func TestTheLastPlaces(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		id, key := issue(ada, P{"max_machines": 2, "machine_bound": true})
		activate := func(on *harness.Service, machine string) *harness.Reply {
			return on.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": machine, "name": "Name of " + machine})
		}
		first := activate(h, "first").OK().String("machine.id")
		replies := harness.Together(100, func(i int) *harness.Reply {
			return activate([]*harness.Service{h, other}[i%2], fmt.Sprint("machine ", i))
		})
		codes := map[string]int{}
		for _, one := range replies {
			codes[one.OK().String("code")]++
			if one.String("code") == "too_many_machines" && len(one.List("machines")) != 2 {
				t.Errorf("the places are said to be %v's", one.List("machines"))
			}
		}
		if codes["valid"] != 1 || codes["too_many_machines"] != 99 {
			t.Errorf("answered %v", codes)
		}
		if again := activate(other, "first").OK(); again.String("code") != "valid" || again.String("machine.id") != first {
			t.Errorf("activated again: %v", again.Data)
		}
		if got := validate(h, key, P{"machine": "another"}); got != "too_many_machines" {
			t.Errorf("another machine: %s", got)
		}
		if n := len(ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items")); n != 2 {
			t.Errorf("%d machines", n)
		}
		if freed := h.Anonymous().Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key, "machine": "first"}).OK(); freed.Data["deactivated"] != true {
			t.Errorf("freed %v", freed.Data)
		}
		if freed := h.Anonymous().Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key, "machine": "first"}).OK(); freed.Data["deactivated"] != false {
			t.Errorf("freed twice: %v", freed.Data)
		}
		for machine, want := range map[string]string{"another": "machine_mismatch", "first": "machine_mismatch", "": "machine_mismatch"} {
			params := P{"machine": machine}
			if machine == "" {
				params = nil
			}
			if got := validate(h, key, params); got != want {
				t.Errorf("machine %q: %s", machine, got)
			}
		}
	})
}

// Without a machine a license is judged by itself, unless it is bound to machines.
func TestValidatingWithoutMachine(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := vendor(h)
	for name, test := range map[string]struct {
		terms P
		want  string
	}{
		"free": {P{}, "valid"}, "with places": {P{"max_machines": 2}, "valid"}, "with seats": {P{"seats": 1}, "valid"},
		"bound": {P{"machine_bound": true, "max_machines": 2}, "machine_mismatch"},
	} {
		_, key := issue(ada, test.terms)
		if got := validate(h, key, nil); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	text := h.Anonymous().Do("REGISTRY.DESCRIBE", P{"command": "LICENSE.VALIDATE"}).OK().String("params_schema.properties.machine.description")
	if !strings.Contains(text, "without it, the code is machine_mismatch") {
		t.Errorf("machine is described as %q", text)
	}
}

// A machine that is silent for too long frees its place, and takes one anew if one is free.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, eve := vendor(h), h.SignUp("eve@example.com")
		policy := ada.Do("LICENSE.POLICY_CREATE", P{"name": "Beats", "heartbeat_minutes": 10, "max_machines": 1, "machine_bound": true, "starts": "activation", "duration_days": 2}).OK()
		id, key := issue(ada, P{"policy_id": policy.String("policy.id"), "user_id": eve.UserID})
		if got := validate(h, key, P{"machine": "a"}); got != "not_started" {
			t.Errorf("before the first activation: %s", got)
		}
		call := func(command, machine string) *harness.Reply {
			return h.Anonymous().Do(command, P{"key": key, "machine": machine}).OK()
		}
		code := func(command, machine string) string { return call(command, machine).String("code") }
		if got := code("LICENSE.MACHINE_HEARTBEAT", "a"); got != "machine_mismatch" {
			t.Errorf("a beat of an unknown machine: %s", got)
		}
		call("LICENSE.MACHINE_ACTIVATE", "a")
		h.Clock.Advance(9 * time.Minute)
		if beat := call("LICENSE.MACHINE_HEARTBEAT", "a"); beat.String("code") != "valid" || beat.String("alive_until") == "" {
			t.Errorf("a beat: %v", beat.Data)
		}
		h.Clock.Advance(9 * time.Minute)
		if got := validate(h, key, P{"machine": "a"}); got != "valid" {
			t.Errorf("alive by its beat: %s", got)
		}
		if got := code("LICENSE.MACHINE_ACTIVATE", "b"); got != "too_many_machines" {
			t.Errorf("a second machine: %s", got)
		}
		h.Clock.Advance(time.Minute)
		if got := validate(h, key, P{"machine": "a"}); got != "heartbeat_lapsed" {
			t.Errorf("silent: %s", got)
		}
		made := call("LICENSE.MACHINE_ACTIVATE", "b")
		if got := code("LICENSE.MACHINE_HEARTBEAT", "a"); got != "too_many_machines" {
			t.Errorf("a beat after its place was taken: %s", got)
		}
		ada = h.Login("ada@example.com", harness.Password)
		if got := ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id, "status": "lapsed"}).OK().List("items"); len(got) != 1 || got[0]["machine"] != "a" {
			t.Errorf("lapsed: %v", got)
		}
		bob := h.SignUp("bob@example.com")
		bob.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": made.String("machine.id")}).Fails(fault.NotFound)
		h.Anonymous().Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": made.String("machine.id")}).Fails(fault.Auth)
		h.Anonymous().Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key}).Fails(fault.Validation)
		bob.Do("LICENSE.MACHINE_DEACTIVATE", P{"key": key, "machine_id": made.String("machine.id")}).Fails(fault.Validation)
		eve = h.Login("eve@example.com", harness.Password)
		eve.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": made.String("machine.id")}).OK()
		if got := code("LICENSE.MACHINE_HEARTBEAT", "a"); got != "valid" {
			t.Errorf("a beat once a place is free: %s", got)
		}
		h.Clock.Advance(48 * time.Hour)
		if got := code("LICENSE.MACHINE_ACTIVATE", "a"); got != "expired" {
			t.Errorf("after two days: %s", got)
		}
		upkeep := opsstore.Upkeep(h.Store)
		for after, want := range map[time.Duration]int{89 * 24 * time.Hour: 0, 91 * 24 * time.Hour: 1} {
			if n, err := upkeep.Purge(t.Context(), ops.PurgeMachines, h.Clock.Now().Add(after-48*time.Hour)); err != nil || n != want {
				t.Errorf("%s later %d machines are purged (%v), want %d", after, n, err, want)
			}
		}
	})
}

// An owner is somebody; what a license of another workspace is, its issuer alone says.
func TestOwners(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, buyer := vendor(h), h.SignUp("buyer@example.com")
	ada.Do("LICENSE.ISSUE", P{"product_id": "table", "user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.Validation).Field("/user_id")
	ada.Do("LICENSE.ISSUE", P{"product_id": "table", "owner_org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.Validation).Field("/owner_org_id")
	ada.Do("LICENSE.ISSUE", P{"product_id": "table", "owner_org_id": buyer.OrgID, "user_id": buyer.UserID}).Fails(fault.Validation).Field("/owner_org_id")
	id, _ := issue(ada, P{"owner_org_id": buyer.OrgID})
	buyer.Do("LICENSE.GET", P{"license_id": id}).OK()
	buyer.Do("LICENSE.UPDATE", P{"license_id": id, "seats": 9}).Fails(fault.NotFound)
	ada.Do("LICENSE.UPDATE", P{"license_id": id, "user_id": buyer.UserID}).OK()
	if got := buyer.Do("LICENSE.GET", P{"license_id": id}).OK(); got.String("license.user_id") != buyer.UserID || got.Data["license"].(P)["owner_org_id"] != nil {
		t.Errorf("now it is %v", got.Data)
	}
	buyer.Do("USER.DELETE", P{"password": harness.Password}).OK()
	if got := ada.Do("LICENSE.GET", P{"license_id": id}).OK(); got.String("license.status") != "revoked" {
		t.Errorf("after its owner's account it is %v", got.Data)
	}
}
