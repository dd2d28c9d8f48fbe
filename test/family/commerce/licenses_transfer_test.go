package commerce_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A license is moved as often in a year as its terms say; the last move goes to one of 100
// callers on two replicas, and a machine that is left loses its seat.
func TestTransfers(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada, buyer, eve := vendor(h), h.SignUp("buyer@example.com"), h.SignUp("eve@example.com")
		h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 100_000, "window_seconds": 60}).OK()
		id, key := issue(ada, P{"user_id": buyer.UserID, "policy_id": policy(ada, P{
			"max_machines": 1, "machine_bound": true, "transfers_per_year": 2, "floating": true, "seats": 1,
		})})
		move := func(by *harness.Actor, from, to string) *harness.Reply {
			return by.Do("LICENSE.TRANSFER", P{"license_id": id, "from_machine": from, "to_machine": to})
		}
		call := func(command, machine string) string {
			return h.Anonymous().Do("LICENSE."+command, P{"key": key, "machine": machine}).OK().String("code")
		}
		call("MACHINE_ACTIVATE", "a")
		call("LEASE_ACQUIRE", "a")
		move(eve, "a", "b").Fails(fault.NotFound)
		move(buyer, "a", "a").Fails(fault.Validation).Field("/to_machine")
		move(buyer, "a", "b").OK()
		move(buyer, "a", "b").OK() // again, since the answer was lost
		for machine, want := range map[string]string{"a": "too_many_machines", "b": "valid"} {
			if got := validate(h, key, P{"machine": machine}); got != want {
				t.Errorf("after the move %s is %s, want %s", machine, got, want)
			}
		}
		if got := call("LEASE_ACQUIRE", "b"); got != "valid" {
			t.Errorf("the seat of the machine that was left: %s", got)
		}
		moved := 0
		for _, one := range harness.Together(100, func(i int) *harness.Reply {
			by := []*harness.Service{h, other}[i%2].With(buyer.AccessToken)
			return move(by, "b", fmt.Sprint("machine ", i))
		}) {
			if one.Failure == nil {
				moved++
			} else if one.Failure.Code != fault.Validation {
				t.Errorf("answered %v", one.Failure)
			}
		}
		if moved != 1 || len(h.Events("license.transferred")) != 2 {
			t.Errorf("%d of the callers moved it, %d moves are told", moved, len(h.Events("license.transferred")))
		}
		h.Clock.Advance(365*24*time.Hour - time.Second)
		buyer = h.Login("buyer@example.com", harness.Password)
		move(buyer, "b", "c").Fails(fault.Validation)
		h.Clock.Advance(time.Minute)
		list := buyer.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items")
		move(buyer, fmt.Sprint(list[0]["machine"]), "c").OK()
		if got := validate(h, key, P{"machine": "c"}); got != "no_seats" && got != "valid" {
			t.Errorf("a year later: %s", got)
		}
		h.Login("ada@example.com", harness.Password).Do("LICENSE.SUSPEND", P{"license_id": id}).OK()
		move(buyer, "c", "d").Fails(fault.Validation)
	})
}

// A new machine in a place that another one gave up by key within 30 days is a move too;
// one that comes back is none, nor is one in a place that nobody had.
func TestFreedPlaces(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada := vendor(h)
		_, key := issue(ada, P{"policy_id": policy(ada, P{"max_machines": 2, "transfers_per_year": 1})})
		call := func(command, machine string) *harness.Reply {
			return h.Anonymous().Do("LICENSE.MACHINE_"+command, P{"key": key, "machine": machine}).OK()
		}
		for i, step := range []struct{ command, machine, code string }{
			{"ACTIVATE", "a", "valid"},
			{"DEACTIVATE", "a", ""},
			{"ACTIVATE", "b", "valid"}, // in a place that nobody had
			{"ACTIVATE", "a", "valid"}, // comes back
			{"DEACTIVATE", "a", ""},
			{"ACTIVATE", "c", "valid"}, // the move of the year
			{"DEACTIVATE", "b", ""},
			{"ACTIVATE", "d", "too_many_machines"},
			{"ACTIVATE", "b", "valid"}, // comes back
			{"DEACTIVATE", "c", ""},
		} {
			if got := call(step.command, step.machine); got.Data["code"] != nil && got.String("code") != step.code {
				t.Errorf("step %d, %s %s: %v, want %s", i, step.command, step.machine, got.Data, step.code)
			}
		}
		h.Clock.Advance(30 * 24 * time.Hour)
		if got := call("ACTIVATE", "e").String("code"); got != "valid" {
			t.Errorf("after 30 days: %s", got)
		}
	})
}

// Licenses get the terms of their policy by a job, those alone that were not set for one,
// with one event each; who validates meanwhile finds the license.
func TestPolicyUpdate(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada, eve := vendor(h), h.SignUp("eve@example.com")
		of := policy(ada, P{"seats": 1, "duration_days": 10})
		id, key := issue(ada, P{"policy_id": of, "seats": 7})
		plain, _ := issue(ada, P{"policy_id": of})
		many(t, h, plain, 250)
		update := func(by *harness.Actor, params P) *harness.Reply {
			params["policy_id"] = of
			return by.Do("LICENSE.POLICY_UPDATE", params)
		}
		update(eve, P{"changes": P{"seats": 2}}).Fails(fault.NotFound)
		update(ada, P{"changes": P{"on_expiry": "grace"}}).Fails(fault.Validation).Field("/grace_days")
		update(ada, P{"changes": P{"color": 2}}).Fails(fault.Validation)
		if got := update(ada, P{"changes": P{"seats": 2, "name": "Better"}}).OK(); got.Int("licenses_changed") != 0 || got.String("policy.name") != "Better" {
			t.Errorf("for new licenses alone: %v", got.Data)
		}
		h.RunJobs()
		if got := ada.Do("LICENSE.GET", P{"license_id": plain}).OK().Int("license.seats"); got != 1 {
			t.Errorf("a license has %d seats though the change was for new ones", got)
		}
		done := update(ada, P{"changes": P{"duration_days": 20}, "apply_to_existing": true}).OK()
		if done.Int("licenses_changed") != 252 {
			t.Errorf("the job goes through %d", done.Int("licenses_changed"))
		}
		stop := make(chan bool)
		go func() { h.RunJobs(); close(stop) }()
		for running := true; running; {
			select {
			case <-stop:
				running = false
			default:
			}
			if got := validate(other, key, nil); got != "valid" {
				t.Fatalf("while the job runs it is %s", got)
			}
		}
		if got := ada.Do("JOB.GET", P{"job_id": done.String("job_id")}).OK(); got.String("job.status") != "succeeded" || got.Int("job.done") != 252 {
			t.Errorf("the job: %v", got.Data)
		}
		if n := len(h.Events("license.updated")); n != 252 {
			t.Errorf("%d licenses were told to have changed", n)
		}
		for one, seats := range map[string]int{id: 7, plain: 2} {
			if got := ada.Do("LICENSE.GET", P{"license_id": one}).OK(); got.Int("license.duration_days") != 20 || got.Int("license.seats") != seats {
				t.Errorf("a license became %v", got.Data["license"])
			}
		}
	})
}

// many copies the row of a license.
func many(t *testing.T, h *harness.Service, id string, n int) {
	t.Helper()
	database := h.Store.Database().Write
	for i := range n {
		_, err := database.ExecContext(t.Context(), database.Rebind(`
			INSERT INTO licenses (id, org_id, product_id, policy_id, terms, overrides, status, reason, expires_at, ends_at, metadata, created_at, updated_at, version)
			SELECT ?, org_id, product_id, policy_id, terms, overrides, status, reason, expires_at, ends_at, metadata, created_at, updated_at, version
			FROM licenses WHERE id = ?`), fmt.Sprintf("lic_01%024d", i), id)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A merge moves licenses and seats, so that the end of the source revokes nothing.
func TestMergedOwners(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		ada, source, target := vendor(h), h.SignUp("old@example.com"), h.SignUp("new@example.com")
		own, _ := issue(ada, P{"user_id": source.UserID})
		shared, _ := issue(ada, P{"seats": 3})
		lone, _ := issue(ada, nil)
		for id, people := range map[string][]string{shared: {source.UserID, target.UserID}, lone: {source.UserID}} {
			for _, one := range people {
				ada.Do("LICENSE.SEAT_ASSIGN", P{"license_id": id, "user_id": one}).OK()
			}
		}
		root := h.Superadmin()
		moved := root.Do("USER.MERGE", P{"source_user_id": source.UserID, "target_user_id": target.UserID}).OK()
		if got := moved.Int("moved.licenses"); got != 1 {
			t.Errorf("%d licenses moved", got)
		}
		if got := target.Do("LICENSE.GET", P{"license_id": own}).OK(); got.String("license.status") != "active" || got.String("license.user_id") != target.UserID {
			t.Errorf("the license is %v", got.Data["license"])
		}
		for _, id := range []string{shared, lone} {
			if got := ada.Do("LICENSE.SEAT_LIST", P{"license_id": id}).OK().List("items"); len(got) != 1 || got[0]["user_id"] != target.UserID {
				t.Errorf("seats: %v", got)
			}
		}
	})
}
