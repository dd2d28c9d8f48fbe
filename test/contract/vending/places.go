package vending

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/test/contract"
)

// machines checks licensing.Machines and licensing.MachineDirectory.
func machines(w *world) {
	of := w.license(w.product("table", nil), nil)
	first := w.machine(of, "m", time.Time{})
	long := w.machine(of, license.Fingerprint(strings.Repeat("\U0001F5A5", 255)), w.now.Add(time.Hour))
	lapsed := w.machine(of, "M", w.now)
	read := func(fingerprint license.Fingerprint) (s license.MachineSnapshot, err error) {
		err = w.Unit.Do(w.Context(), func(tx Repos) error {
			found, err := tx.Machines.ByFingerprint(w.Context(), of.ID, fingerprint)
			if err == nil {
				s = found.Snapshot()
			}
			return err
		})
		return s, err
	}
	for _, one := range []license.MachineSnapshot{first, long, lapsed} {
		found, err := read(one.Fingerprint)
		w.must(err)
		w.equal("the machine", found, one)
	}
	_, err := read(" m")
	w.is(err, license.ErrNoMachine)
	w.do(func(ctx context.Context, tx Repos) error {
		there, err := tx.Machines.Alive(ctx, of.ID, w.now)
		w.equal("how many live", there, 2)
		return err
	})
	yes, no := true, false
	for text, c := range map[string]struct {
		lapsed *bool
		want   []license.MachineSnapshot
	}{
		"all, newest first": {nil, []license.MachineSnapshot{lapsed, long, first}},
		"lapsed":            {&yes, []license.MachineSnapshot{lapsed}},
		"alive":             {&no, []license.MachineSnapshot{long, first}},
	} {
		found, err := w.Machines.List(w.Context(), licensing.MachineQuery{License: of.ID, Lapsed: c.lapsed, Now: w.now, Limit: 5})
		w.must(err)
		w.equal(text, found, c.want)
	}
	w.conflicts(func(ctx context.Context, tx Repos) error {
		return tx.Machines.Save(ctx, license.RestoreMachine(first, 7))
	})
	w.conflicts(func(ctx context.Context, tx Repos) error {
		return tx.Machines.Delete(ctx, license.RestoreMachine(first, 7))
	})
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Machines.Delete(ctx, license.RestoreMachine(first, 1))
	})
	_, err = read("m")
	w.is(err, license.ErrNoMachine)
}

// heartbeats checks licensing.Heartbeats: what it notes is what a unit of work would, and it
// leaves to that whatever might be refused.
func heartbeats(w *world) {
	sold := w.product("table", nil)
	beating := func(s *license.Snapshot) { s.Terms.HeartbeatMinutes = 10 }
	of := w.license(sold, beating)
	w.key(of.ID, someKey)
	soon, later := w.now.Add(5*time.Minute), w.now.Add(day)
	w.machine(of, "alive", soon)
	w.machine(of, "with a file", later)
	w.machine(of, "for good", time.Time{})
	w.machine(of, "at its end", w.now.Add(time.Second))
	w.machine(of, "lapsed", w.now.Add(-time.Second))
	gone := w.license(sold, func(s *license.Snapshot) { beating(s); s.Status = license.Revoked })
	revoked := w.key(gone.ID, strings.Repeat("7", 25))
	w.machine(gone, "alive", soon)
	over := w.license(sold, func(s *license.Snapshot) { beating(s); s.ExpiresAt = w.now })
	expired := w.key(over.ID, strings.Repeat("8", 25))
	w.machine(over, "alive", soon)
	still := w.license(sold, nil)
	quiet := w.key(still.ID, strings.Repeat("9", 25))
	w.machine(still, "alive", time.Time{})

	for _, c := range []struct {
		key     string
		machine license.Fingerprint
		until   time.Time
		noted   bool
	}{
		{someKey, "alive", w.now.Add(10 * time.Minute), true},
		{someKey, "with a file", later, true},
		{someKey, "for good", w.now.Add(10 * time.Minute), true},
		{quiet, "alive", time.Time{}, true},
		{someKey, "at its end", time.Time{}, false},
		{someKey, "lapsed", time.Time{}, false},
		{someKey, "unknown", time.Time{}, false},
		{revoked, "alive", time.Time{}, false},
		{expired, "alive", time.Time{}, false},
		{strings.Repeat("Z", 25), "alive", time.Time{}, false},
	} {
		until, noted, err := w.Beats.Beat(w.Context(), c.key, c.machine)
		w.must(err)
		if noted != c.noted || !until.Equal(c.until) {
			w.Errorf("%s of %s: noted %v until %s, want %v and %s", c.machine, c.key, noted, until, c.noted, c.until)
		}
	}
	w.together(of)
}

// together has many machines give signs of life at once, on two replicas: each is noted, and
// none is another's.
func (w *world) together(of license.Snapshot) {
	w.Helper()
	const many = 40
	for i := range many {
		w.machine(of, license.Fingerprint(fmt.Sprint("one of many ", i)), w.now.Add(time.Minute))
	}
	other := w.replica(contract.Defaults(w.T))
	var working sync.WaitGroup
	for i := range 2 * many {
		beats := []*Ports{w.Ports, other}[i%2].Beats
		working.Go(func() {
			_, noted, err := beats.Beat(w.Context(), someKey, license.Fingerprint(fmt.Sprint("one of many ", i/2)))
			if err != nil || !noted {
				w.Errorf("the sign of life %d is not noted: %v", i, err)
			}
		})
	}
	working.Wait()
	found, err := w.Machines.List(w.Context(), licensing.MachineQuery{License: of.ID, Limit: many})
	w.must(err)
	for _, one := range found {
		if want := w.now.Add(10 * time.Minute); !one.LapsesAt.Equal(want) || one.Name != "Workshop" {
			w.Errorf("%s lapses at %s, want %s", one.Fingerprint, one.LapsesAt, want)
		}
	}
}

// seats checks licensing.Seats and licensing.SeatDirectory.
func seats(w *world) {
	of := w.license(w.product("table", nil), nil)
	give := func(to license.Holder) license.SeatSnapshot {
		s := license.SeatSnapshot{ID: license.NewSeatID(w.ids), LicenseID: of.ID, Holder: to, UserID: to.UserID, AssignedAt: w.now}
		w.do(func(ctx context.Context, tx Repos) error { return tx.Seats.Save(ctx, license.RestoreSeat(s, 0)) })
		return s
	}
	person, address := license.Holder{UserID: w.person}, license.Holder{Email: w.address("Bob@Example.com")}
	own, addressed := give(person), give(address)
	for text, to := range map[string]license.Holder{"a person": person, "an address": address, "an address in lower case": {Email: w.address("bob@example.com")}} {
		w.do(func(ctx context.Context, tx Repos) error {
			found, err := tx.Seats.Of(ctx, of.ID, to)
			if err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			if want := map[bool]license.SeatID{true: own.ID, false: addressed.ID}[to.UserID != ""]; found.Snapshot().ID != want {
				w.Errorf("the seat of %s is %v", text, found.Snapshot())
			}
			return nil
		})
	}
	w.fails(license.ErrNoSeat, func(ctx context.Context, tx Repos) error {
		_, err := tx.Seats.Of(ctx, of.ID, license.Holder{Email: w.address("eve@example.com")})
		return err
	})
	list, err := w.Seats.List(w.Context(), of.ID, "", 5)
	w.must(err)
	w.equal("all, newest first", list, []license.SeatSnapshot{addressed, own})
	w.do(func(ctx context.Context, tx Repos) error { return tx.Seats.Delete(ctx, license.RestoreSeat(own, 1)) })
	w.do(func(ctx context.Context, tx Repos) error {
		taken, err := tx.Seats.Count(ctx, of.ID)
		w.equal("how many are taken", taken, 1)
		return err
	})
}

// leases checks licensing.Leases and licensing.LeaseDirectory.
func leases(w *world) {
	of := w.license(w.product("table", nil), nil)
	take := func(machine license.Fingerprint, person string, minutes int) license.LeaseSnapshot {
		made := license.Acquire(of, license.LeaseSnapshot{ID: license.NewLeaseID(w.ids), Machine: machine, User: person, Minutes: minutes}, w.now)
		w.do(func(ctx context.Context, tx Repos) error { return tx.Leases.Save(ctx, made) })
		return made.Snapshot()
	}
	first, second, other := take("m", "", 5), take("m", "ada", 60), take("n", "", 60)
	w.do(func(ctx context.Context, tx Repos) error {
		for _, one := range []license.LeaseSnapshot{first, second, other} {
			by, err := tx.Leases.Of(ctx, of.ID, one.Machine, one.User)
			if err != nil {
				return err
			}
			w.equal("by who has it", by.Snapshot(), one)
			if by, err = tx.Leases.ByID(ctx, one.ID); err != nil {
				return err
			}
			w.equal("by its identifier", by.Snapshot(), one)
		}
		return nil
	})
	for after, want := range map[time.Duration][]license.LeaseSnapshot{
		0: {other, second, first}, 5 * time.Minute: {other, second}, time.Hour: {},
	} {
		list, err := w.Leases.List(w.Context(), of.ID, w.now.Add(after), 5)
		w.must(err)
		w.equal("those that run, newest first", list, want)
		held, err := w.Leases.Held(w.Context(), of.ID, w.now.Add(after))
		w.must(err)
		w.equal("how many run", held, len(want))
	}
	w.do(func(ctx context.Context, tx Repos) error { return tx.Leases.End(ctx, of.ID, "m") })
	for id, want := range map[license.LeaseID]error{first.ID: license.ErrNoLease, second.ID: license.ErrNoLease, other.ID: nil} {
		w.is(w.Unit.Do(w.Context(), func(tx Repos) error {
			_, err := tx.Leases.ByID(w.Context(), id)
			return err
		}), want)
	}
}

// meters checks licensing.Meters.
func meters(w *world) {
	of := w.license(w.product("table", nil), nil)
	used := license.Usage{Meter: "exports", Period: "2026-05-04", Used: 1 << 53, Exceeded: true}
	w.do(func(ctx context.Context, tx Repos) error { return tx.Meters.Save(ctx, of.ID, used) })
	for _, want := range []license.Usage{used, {Meter: "exports", Period: "2026-05"}, {Meter: "imports", Period: "2026-05-04"}} {
		w.do(func(ctx context.Context, tx Repos) error {
			found, err := tx.Meters.Used(ctx, of.ID, want.Meter, want.Period)
			w.equal("what was used", found, want)
			return err
		})
	}
	counted := func(name string, now time.Time) (again bool) {
		w.do(func(ctx context.Context, tx Repos) (err error) {
			again, err = tx.Meters.Counted(ctx, of.ID, name, now)
			return err
		})
		return again
	}
	for _, until := range []time.Time{w.now.Add(time.Minute), w.now.Add(time.Hour)} {
		w.do(func(ctx context.Context, tx Repos) error { return tx.Meters.Note(ctx, of.ID, "a", until) })
	}
	w.equal("known, unknown, forgotten", []bool{counted("a", w.now.Add(time.Minute)), counted("A", w.now), counted("a", w.now.Add(time.Hour))}, []bool{true, false, false})
}

// transfers checks licensing.Transfers and licensing.LicenseDirectory.Left.
func transfers(w *world) {
	of := w.license(w.product("table", nil), nil)
	moved := func(from license.Fingerprint, at, until time.Time) license.Transfer {
		t := license.Transfer{ID: license.NewTransferID(w.ids), LicenseID: of.ID, From: from, MovedAt: at, FileUntil: until}
		w.do(func(ctx context.Context, tx Repos) error { return tx.Transfers.Add(ctx, t) })
		return t
	}
	moved("year before", w.now.Add(-license.TransferYear), time.Time{})
	moved("without a file", w.now, time.Time{})
	filed := moved("é", w.now, w.now.Add(day))
	w.do(func(ctx context.Context, tx Repos) error {
		count, err := tx.Transfers.Since(ctx, of.ID, w.now.Add(-license.TransferYear))
		w.equal("those of a year", count, 2)
		return err
	})
	filed.MovedAt = time.Time{} // it is not read
	for after, want := range map[time.Duration][]license.Transfer{0: {filed}, day: {}} {
		left, err := w.Licenses.Left(w.Context(), of.ID, w.now.Add(after))
		w.must(err)
		w.equal("machines whose files hold", left, want)
	}
	w.do(func(ctx context.Context, tx Repos) error {
		for i, one := range []license.Fingerprint{"a", "b", "a"} {
			if err := tx.Transfers.Vacate(ctx, of.ID, one, w.now.Add(time.Duration(i+1)*time.Hour)); err != nil {
				return err
			}
		}
		vacant, err := tx.Transfers.Vacant(ctx, of.ID, w.now)
		w.equal("places that were freed", vacant, 2)
		return err
	})
	w.do(func(ctx context.Context, tx Repos) error {
		if err := tx.Transfers.Refill(ctx, of.ID); err != nil { // that of b ends first
			return err
		}
		for machine, want := range map[license.Fingerprint]bool{"b": false, "c": false, "a": true} {
			back, err := tx.Transfers.Return(ctx, of.ID, machine, w.now)
			if err != nil {
				return err
			}
			w.equal("whether the place of "+string(machine)+" was free", back, want)
		}
		return nil
	})
}
