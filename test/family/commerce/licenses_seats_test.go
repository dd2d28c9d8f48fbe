package commerce_test

import (
	"fmt"
	"testing"
	"time"

	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// policy writes down terms, and returns the id of the policy.
func policy(of *harness.Actor, terms P) string {
	call := P{"name": "Terms"}
	for name, value := range terms {
		call[name] = value
	}
	return of.Do("LICENSE.POLICY_CREATE", call).OK().String("policy.id")
}

// Named seats are given by whoever owns or issued the license, up to its limit; that of
// an address is its account's once the address is bound.
func TestNamedSeats(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, buyer, eve := vendor(h), h.SignUp("buyer@example.com"), h.SignUp("eve@example.com")
		id, _ := issue(ada, P{"seats": 3, "user_id": buyer.UserID})
		seat := func(by *harness.Actor, params P) *harness.Reply {
			params["license_id"] = id
			return by.Do("LICENSE.SEAT_ASSIGN", params)
		}
		first := seat(buyer, P{"user_id": eve.UserID}).OK()
		if again := seat(ada, P{"user_id": eve.UserID}).OK(); again.String("seat.assigned_at") != first.String("seat.assigned_at") {
			t.Errorf("given twice: %v", again.Data)
		}
		seat(eve, P{"user_id": eve.UserID}).Fails(fault.NotFound)
		seat(ada, P{}).Fails(fault.Validation)
		seat(ada, P{"user_id": eve.UserID, "email": "bob@example.com"}).Fails(fault.Validation)
		seat(ada, P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.Validation).Field("/user_id")
		given := seat(ada, P{"email": "Bob@Example.com"}).OK()
		if given.Data["seat"].(P)["user_id"] != nil {
			t.Errorf("a seat of an address says whose it is: %v", given.Data)
		}
		// That an address has an account is told to nobody.
		if known := seat(ada, P{"email": "ada@example.com"}).OK(); known.Data["seat"].(P)["user_id"] != nil {
			t.Errorf("a seat of an address tells its account: %v", known.Data)
		}
		seat(ada, P{"email": "carol@example.com"}).Fails(fault.Validation)

		bob := h.SignUp("bob@example.com")
		seats := func() (of []string) {
			for _, one := range ada.Do("LICENSE.SEAT_LIST", P{"license_id": id}).OK().List("items") {
				of = append(of, fmt.Sprint(one["user_id"], " ", one["email"]))
			}
			return of
		}
		if got := seats(); len(got) != 3 || got[1] != "<nil> Bob@example.com" {
			t.Errorf("before the address is bound: %v", got)
		}
		bob.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("bob@example.com").Token()}).OK()
		if got := seats(); len(got) != 3 || got[1] != bob.UserID+" <nil>" {
			t.Errorf("once it is bound: %v", got)
		}
		eve.Do("LICENSE.SEAT_LIST", P{"license_id": id}).Fails(fault.NotFound)
		if got := buyer.Do("LICENSE.GET", P{"license_id": id}).OK().List("seats"); len(got) != 3 {
			t.Errorf("its owner sees the seats %v", got)
		}
		for i, want := range []bool{true, false} {
			got := buyer.Do("LICENSE.SEAT_UNASSIGN", P{"license_id": id, "user_id": bob.UserID}).OK()
			if got.Data["unassigned"] != want {
				t.Errorf("taken back %d: %v", i, got.Data)
			}
		}
		seat(ada, P{"email": "carol@example.com"}).OK()
		ada.Do("LICENSE.LEASE_LIST", P{"license_id": id}).OK()
		floating, _ := issue(ada, P{"policy_id": policy(ada, P{"floating": true})})
		ada.Do("LICENSE.SEAT_ASSIGN", P{"license_id": floating, "user_id": eve.UserID}).Fails(fault.Validation)
		if a, u := len(h.Events("license_seat.assigned")), len(h.Events("license_seat.unassigned")); a != 4 || u != 1 {
			t.Errorf("%d seats were given and %d taken back, by the events", a, u)
		}
		eve.Do("USER.DELETE", P{"password": harness.Password}).OK()
		if got := seats(); len(got) != 2 {
			t.Errorf("after the end of an account: %v", got)
		}
	})
}

// Who acts in a workspace that owns a license manages it, without a permission.
func TestOwningWorkspace(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, buyer, root := vendor(h), h.SignUp("buyer@example.com"), h.Superadmin()
		id, key := issue(ada, P{"owner_org_id": buyer.OrgID, "max_machines": 2, "offline_days": 3})
		bare := buyer.Do("ROLE.CREATE", P{"name": "Bare", "permissions": []string{}}).OK().String("role.name")
		root.Do("USER.CREATE", P{"email": "member@example.com", "password": harness.Password, "org_id": buyer.OrgID, "role": bare}).OK()
		member, there := h.Login("member@example.com", harness.Password), h.With(h.Anonymous().Do("AUTH.LOGIN", P{
			"email": "member@example.com", "password": harness.Password, "org_id": buyer.OrgID,
		}).OK().String("access_token"))
		activated := func(machine string) string {
			return h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": machine}).OK().String("machine.id")
		}
		first, second := activated("m"), activated("n")
		for _, call := range []struct {
			command string
			params  P
		}{
			{"SEAT_ASSIGN", P{"license_id": id, "user_id": member.UserID}},
			{"SEAT_LIST", P{"license_id": id}},
			{"SEAT_UNASSIGN", P{"license_id": id, "user_id": member.UserID}},
			{"MACHINE_LIST", P{"license_id": id}},
			{"GET", P{"license_id": id}},
			{"OFFLINE_CHECKOUT", P{"license_id": id, "machine": "n"}},
			{"MACHINE_DEACTIVATE", P{"machine_id": first}},
		} {
			member.Do("LICENSE."+call.command, call.params).Fails(fault.NotFound)
			there.Do("LICENSE."+call.command, call.params).OK()
		}

		// org_id beside a command names the workspace to act in, for who belongs there.
		checkout := P{"license_id": id, "machine": "n", "org_id": buyer.OrgID}
		member.Do("LICENSE.OFFLINE_CHECKOUT", checkout).OK()
		ada.Do("LICENSE.OFFLINE_CHECKOUT", checkout).Fails(fault.NotFound)
		member.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": activated("m"), "org_id": buyer.OrgID}).OK()
		root.Do("LICENSE.MACHINE_DEACTIVATE", P{"machine_id": second, "org_id": ada.OrgID}).OK()
		there.Do("LICENSE.UPDATE", P{"license_id": id, "seats": 9}).Fails(fault.Denied)
	})
}

// The last floating seat goes to one of 100 callers on two replicas; leases end by the
// clock, and are had once by a machine and user.
func TestFloatingSeats(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		id, key := issue(ada, P{"policy_id": policy(ada, P{"floating": true, "seats": 2})})
		_, stranger := issue(ada, nil)
		acquire := func(on *harness.Service, machine string, more ...any) *harness.Reply {
			params := P{"key": key, "machine": machine}
			for i := 0; i < len(more); i += 2 {
				params[more[i].(string)] = more[i+1]
			}
			return on.Anonymous().Do("LICENSE.LEASE_ACQUIRE", params)
		}
		first := acquire(h, "first", "user", "ada").OK()
		codes, holder := map[string]int{}, ""
		for i, one := range harness.Together(100, func(i int) *harness.Reply {
			return acquire([]*harness.Service{h, other}[i%2], fmt.Sprint("machine ", i))
		}) {
			if codes[one.OK().String("code")]++; one.String("code") == "valid" {
				holder = fmt.Sprint("machine ", i)
			}
		}
		if codes["valid"] != 1 || codes["no_seats"] != 99 {
			t.Fatalf("answered %v", codes)
		}
		again := acquire(other, "first", "user", "ada", "minutes", 5).OK()
		if again.String("lease.id") != first.String("lease.id") || again.String("lease.ends_at") != first.String("lease.ends_at") {
			t.Errorf("acquired again, for less: %v, first %v", again.Data, first.Data)
		}
		if got := acquire(h, "first", "user", "bob").OK().String("code"); got != "no_seats" {
			t.Errorf("another user of the machine: %s", got)
		}
		for machine, want := range map[string]string{"first": "valid", holder: "valid", "another": "no_seats", "": "no_seats"} {
			params := P{"machine": machine}
			if machine == "" {
				params = nil
			}
			if got := validate(h, key, params); got != want {
				t.Errorf("machine %q: %s, want %s", machine, got, want)
			}
		}
		list := ada.Do("LICENSE.LEASE_LIST", P{"license_id": id}).OK()
		if list.Int("in_use") != 2 || list.Int("seats") != 2 || len(list.List("items")) != 2 {
			t.Errorf("leases: %v", list.Data)
		}
		renew := func(lease string) *harness.Reply {
			return h.Anonymous().Do("LICENSE.LEASE_RENEW", P{"lease_id": lease, "key": key})
		}
		h.Clock.Advance(59 * time.Minute)
		if got := renew(again.String("lease.id")).OK(); got.String("code") != "valid" || got.String("lease.ends_at") <= first.String("lease.ends_at") {
			t.Errorf("renewed for five minutes: %v", got.Data)
		}
		h.Clock.Advance(5 * time.Minute)
		if got := acquire(h, "late", "minutes", 1440).OK().String("code"); got != "valid" {
			t.Errorf("once leases ran out: %s", got)
		}
		released := acquire(h, "later").OK().String("lease.id")
		if got := renew(first.String("lease.id")).OK(); got.String("code") != "no_seats" || got.Data["lease"] != nil {
			t.Errorf("renewed after it ran out: %v", got.Data)
		}
		for key, want := range map[string]bool{stranger: false, "nonsense": false, key: true} {
			if got := h.Anonymous().Do("LICENSE.LEASE_RELEASE", P{"lease_id": released, "key": key}).OK(); got.Data["released"] != want {
				t.Errorf("released: %v, want %v", got.Data, want)
			}
		}
		renew(released).Fails(fault.NotFound)
		if got := renew(first.String("lease.id")).OK().String("code"); got != "valid" {
			t.Errorf("renewed once a seat is free: %s", got)
		}
		if got := h.Anonymous().Do("LICENSE.LEASE_ACQUIRE", P{"key": stranger, "machine": "m"}).OK().String("code"); got != "no_seats" {
			t.Errorf("of a license whose seats do not float: %s", got)
		}
		if a, r := len(h.Events("license_lease.acquired")), len(h.Events("license_lease.released")); a != 5 || r != 1 {
			t.Errorf("%d leases and %d releases are told, want 5 and 1", a, r)
		}
		acquire(h, "bad", "minutes", 4).Fails(fault.Validation)
		acquire(h, "bad", "minutes", 1441).Fails(fault.Validation)
	})
}

// A lease needs a machine that is activated where the license is bound to machines.
func TestLeasesOfBoundLicenses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := vendor(h)
	_, key := issue(ada, P{"policy_id": policy(ada, P{
		"floating": true, "seats": 1, "machine_bound": true, "max_machines": 2, "starts": "activation", "heartbeat_minutes": 10,
	})})
	call := func(command string) *harness.Reply {
		return h.Anonymous().Do("LICENSE."+command, P{"key": key, "machine": "m"}).OK()
	}
	code := func(command string) string { return call(command).String("code") }
	if got := code("LEASE_ACQUIRE"); got != "not_started" {
		t.Errorf("before the first activation: %s", got)
	}
	h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "n"}).OK()
	if got := code("LEASE_ACQUIRE"); got != "machine_mismatch" {
		t.Errorf("of an unknown machine: %s", got)
	}
	call("MACHINE_ACTIVATE")
	h.Clock.Advance(10 * time.Minute)
	if got := code("LEASE_ACQUIRE"); got != "heartbeat_lapsed" {
		t.Errorf("of a machine that lapsed: %s", got)
	}
	call("MACHINE_HEARTBEAT")
	if got := code("LEASE_ACQUIRE"); got != "valid" {
		t.Errorf("of a machine: %s", got)
	}
	call("MACHINE_DEACTIVATE")
	call("MACHINE_ACTIVATE")
	if got := code("VALIDATE"); got != "valid" {
		t.Errorf("the seat of a machine that was freed is taken: %s", got)
	}
}

// Meters count as many uses as fit; the last goes to one of 100 callers, a use with a
// name is counted once a day.
func TestMeters(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		_, key := issue(ada, P{"policy_id": policy(ada, P{"meters": P{
			"exports": P{"limit": 10, "period": "day", "on_limit": "deny"}, "calls": P{"limit": 2, "period": "lifetime", "on_limit": "allow"},
		}})})
		use := func(on *harness.Service, params P) *harness.Reply {
			call := P{"key": key, "meter": "exports"}
			for name, value := range params {
				call[name] = value
			}
			return on.Anonymous().Do("LICENSE.USAGE_INCREMENT", call)
		}
		state := func(r *harness.Reply) string {
			r.OK()
			return fmt.Sprint(r.String("code"), " ", r.Int("used"), "/", r.Int("limit"), " ", r.Int("remaining"))
		}
		for i, step := range []struct {
			params P
			want   string
		}{
			{P{"amount": 8}, "valid 8/10 2"},
			{P{"amount": 3}, "meter_exceeded 8/10 2"},
			{P{"event_id": "a"}, "valid 9/10 1"},
			{P{"event_id": "a"}, "valid 9/10 1"},
			{P{"meter": "calls", "event_id": "a", "amount": 5}, "valid 5/2 0"},
		} {
			if got := state(use(h, step.params)); got != step.want {
				t.Errorf("step %d: %s, want %s", i, got, step.want)
			}
		}
		codes := map[string]int{}
		for _, one := range harness.Together(100, func(i int) *harness.Reply {
			return use([]*harness.Service{h, other}[i%2], P{"event_id": fmt.Sprint("use ", i)})
		}) {
			codes[one.OK().String("code")]++
		}
		if codes["valid"] != 1 || codes["meter_exceeded"] != 99 {
			t.Errorf("answered %v", codes)
		}
		if got := validate(h, key, nil); got != "meter_exceeded" {
			t.Errorf("a license whose uses are up is %s", got)
		}
		if got := state(use(h, P{"event_id": "a"})); got != "valid 10/10 0" {
			t.Errorf("a use that was counted before: %s", got)
		}
		use(h, P{"meter": "nothing"}).Fails(fault.Validation).Field("/meter")
		use(h, P{"amount": 0}).Fails(fault.Validation)
		if n := len(h.Events("license.usage_exceeded")); n != 2 {
			t.Errorf("%d times told that a limit was passed, want 2", n)
		}
		h.Clock.Advance(24 * time.Hour)
		if got := validate(h, key, nil); got != "valid" {
			t.Errorf("the next day it is %s", got)
		}
		if got := state(use(h, P{"event_id": "a"})); got != "valid 1/10 9" {
			t.Errorf("the same name a day later: %s", got)
		}
		if got := h.Anonymous().Do("LICENSE.USAGE_INCREMENT", P{"key": "LIC-", "meter": "x"}).OK().String("code"); got != "unknown" {
			t.Errorf("an unknown key is %s", got)
		}
		upkeep := opsstore.Upkeep(h.Store)
		for after, want := range map[time.Duration]int{38 * 24 * time.Hour: 0, 41 * 24 * time.Hour: 2} {
			if n, err := upkeep.Purge(t.Context(), ops.PurgeUsage, h.Clock.Now().Add(after)); err != nil || n != want {
				t.Errorf("%s later %d counters are purged (%v), want %d", after, n, err, want)
			}
		}
	})
}
