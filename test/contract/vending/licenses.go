package vending

import (
	"context"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/test/contract"
)

// licenses checks that a license comes back as it was stored, and is held by one at a time.
func licenses(w *world) {
	sold := w.product("table", nil)
	made := w.license(sold, func(s *license.Snapshot) {
		s.PolicyID, s.Owner.UserID, s.Reason, s.Overrides = w.policy(nil).ID, w.person, "unpaid é", []string{"expires_at", "seats"}
		s.Status, s.ActivatedAt, s.ExpiresAt = license.Suspended, w.now.Add(-day), w.now.Add(day)
		s.Terms.Seats, s.Terms.OnExpiry, s.Terms.GraceDays, s.Terms.Features = 4, license.Grace, 3, feature.Values{"pdf": true, "n": 5.0}
		s.Terms.Meters, s.Metadata = map[string]license.Meter{"m": {Limit: 1, Period: license.Lifetime, OnLimit: license.Allow}}, map[string]any{"crm": "42"}
	})
	found, err := w.Licenses.Find(w.Context(), made.ID)
	w.must(err)
	w.equal("the license", found, made)
	_, err = w.Licenses.Find(w.Context(), "lic_01jd7x9k2mf3q8v5t0abcdefgx")
	w.is(err, license.ErrNotFound)
	w.conflicts(func(ctx context.Context, tx Repos) error { return tx.Licenses.Save(ctx, license.Restore(made, 7)) })

	// That it was seen is no change of it, and never goes back.
	for _, at := range []time.Time{w.now.Add(time.Minute), w.now} {
		w.do(func(ctx context.Context, tx Repos) error { return tx.Licenses.RecordValidation(ctx, made.ID, at) })
	}
	made.LastSeenAt = w.now.Add(time.Minute)
	w.do(func(ctx context.Context, tx Repos) error {
		held, err := tx.Licenses.ByID(ctx, made.ID)
		w.equal("once it was seen", held.Snapshot(), made)
		w.equal("its version", held.Version(), int64(1))
		return err
	})

	// Each of many adds one machine, as long as there are fewer than two.
	other := w.replica(contract.Defaults(w.T))
	var working sync.WaitGroup
	var mu sync.Mutex
	taken := 0
	for i := range 12 {
		unit := []*Ports{w.Ports, other}[i%2].Unit
		working.Go(func() {
			took := false
			err := unit.Do(w.Context(), func(tx Repos) error {
				took = false
				if _, err := tx.Licenses.ByID(w.Context(), made.ID); err != nil {
					return err
				}
				there, err := tx.Machines.Alive(w.Context(), made.ID, w.now)
				if err != nil || there >= 2 {
					return err
				}
				took = true
				return tx.Machines.Save(w.Context(), license.RestoreMachine(license.MachineSnapshot{
					ID: license.NewMachineID(w.ids), LicenseID: made.ID, Fingerprint: license.Fingerprint(rune('a' + i)), ActivatedAt: w.now, BeatAt: w.now,
				}, 0))
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.Error(err)
			}
			if took {
				taken++
			}
		})
	}
	working.Wait()
	w.equal("places that were taken", taken, 2)
}

// licenseLists checks the lists of licensing.LicenseDirectory.
func licenseLists(w *world) {
	sold, chair := w.product("table", nil), w.product("chair", nil)
	own := w.license(sold, func(s *license.Snapshot) { s.Owner.UserID = w.person })
	ofOrg := w.license(chair, func(s *license.Snapshot) { s.Owner.OrgID = w.org })
	expired := w.license(sold, func(s *license.Snapshot) { s.ExpiresAt = w.now.Add(-day) })
	graced := w.license(sold, func(s *license.Snapshot) {
		s.ExpiresAt, s.Terms.OnExpiry, s.Terms.GraceDays = w.now.Add(-day), license.Grace, 2
	})
	revoked := w.license(sold, func(s *license.Snapshot) { s.Status = license.Revoked })
	issued := licensing.LicenseQuery{Issuer: w.org, Now: w.now, Limit: 10}
	for text, c := range map[string]struct {
		change func(*licensing.LicenseQuery)
		want   []license.Snapshot
	}{
		"all, newest first":    {func(*licensing.LicenseQuery) {}, []license.Snapshot{revoked, graced, expired, ofOrg, own}},
		"a page":               {func(q *licensing.LicenseQuery) { q.Before, q.Limit = expired.ID, 1 }, []license.Snapshot{ofOrg}},
		"of a product":         {func(q *licensing.LicenseQuery) { q.Product = chair.ID }, []license.Snapshot{ofOrg}},
		"of a person":          {func(q *licensing.LicenseQuery) { q.User = w.person }, []license.Snapshot{own}},
		"active":               {func(q *licensing.LicenseQuery) { q.Status = license.Active }, []license.Snapshot{graced, ofOrg, own}},
		"expired":              {func(q *licensing.LicenseQuery) { q.Status = license.Expired }, []license.Snapshot{expired}},
		"revoked":              {func(q *licensing.LicenseQuery) { q.Status = license.Revoked }, []license.Snapshot{revoked}},
		"that end before":      {func(q *licensing.LicenseQuery) { q.ExpiresBefore = w.now }, []license.Snapshot{graced, expired}},
		"owned":                {func(q *licensing.LicenseQuery) { q.Issuer, q.Owned.UserID = "", w.person }, []license.Snapshot{own}},
		"owned by a workspace": {func(q *licensing.LicenseQuery) { q.Issuer, q.Owned.OrgID = "", w.org }, []license.Snapshot{ofOrg}},
		"of nobody":            {func(q *licensing.LicenseQuery) { q.Issuer = "" }, []license.Snapshot{}},
	} {
		query := issued
		c.change(&query)
		found, err := w.Licenses.List(w.Context(), query)
		w.must(err)
		w.equal(text, found, c.want)
	}
}

const someKey = "0123456789ABCDEFGHJKMNPQR"

// keys checks that a license is found by each of its keys until that ends.
func keys(w *world) {
	of := w.license(w.product("table", nil), nil)
	w.key(of.ID, someKey)
	ends := w.now.Add(time.Hour)
	w.do(func(ctx context.Context, tx Repos) error { return tx.Licenses.EndKeys(ctx, of.ID, ends) })
	second := w.key(of.ID, strings.Repeat("Z", 25))
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Licenses.EndKeys(ctx, of.ID, ends.Add(time.Hour)) // what ends before stays
	})
	third := w.key(of.ID, strings.Repeat("7", 25))
	by := func(canonical string, now time.Time) error {
		_, err := w.Licenses.Standing(w.Context(), canonical, "", now)
		inUnit := w.Unit.Do(w.Context(), func(tx Repos) error {
			held, err := tx.Licenses.ByKey(w.Context(), canonical, now)
			if err == nil {
				w.equal("the license by a key", held.Snapshot().ID, of.ID)
			}
			return err
		})
		w.is(inUnit, err)
		return err
	}
	for _, c := range []struct {
		key  string
		now  time.Time
		want error
	}{
		{someKey, w.now, nil},
		{someKey, ends, license.ErrNotFound},
		{second, ends, nil},
		{second, ends.Add(time.Hour), license.ErrNotFound},
		{third, ends.Add(365 * day), nil},
		{strings.ToLower(someKey), w.now, license.ErrNotFound},
		{"", w.now, license.ErrNotFound},
	} {
		w.is(by(c.key, c.now), c.want)
	}
	shown, err := w.Licenses.Key(w.Context(), of.ID)
	w.must(err)
	w.equal("the key that is shown", string(shown), license.Shown(third))
}

// standing checks licensing.LicenseDirectory.Standing.
func standing(w *world) {
	sold := w.product("table", func(d *product.Draft) { d.Features = feature.Values{"pdf": true} })
	of := w.license(sold, func(s *license.Snapshot) {
		s.Terms.Meters = map[string]license.Meter{"exports": {Limit: 2, Period: license.Daily, OnLimit: license.Deny}}
	})
	w.key(of.ID, someKey)
	on := w.machine(of, "on", w.now.Add(time.Hour))
	lapsed := w.machine(of, "lapsed", w.now)
	w.machine(of, "for good", time.Time{})
	ask := func(machine string) license.State {
		w.Helper()
		s, err := w.Licenses.Standing(w.Context(), someKey, machine, w.now)
		w.must(err)
		return s
	}
	for machine, want := range map[string]license.State{
		"":        {License: of, Product: "table", Sold: sold.Features, Alive: true},
		"on":      {License: of, Product: "table", Sold: sold.Features, Machine: on.ID, Alive: true},
		"lapsed":  {License: of, Product: "table", Sold: sold.Features, Machine: lapsed.ID},
		"unknown": {License: of, Product: "table", Sold: sold.Features, Machines: 2, Alive: true},
		"ON":      {License: of, Product: "table", Sold: sold.Features, Machines: 2, Alive: true},
	} {
		w.equal("the machine "+machine, ask(machine), want)
	}
	w.do(func(ctx context.Context, tx Repos) error {
		for _, one := range []license.Usage{{Meter: "exports", Period: "2020-01-01", Used: 2}, {Meter: "exports", Period: license.Daily.Label(w.now), Used: 1}} {
			if err := tx.Meters.Save(ctx, of.ID, one); err != nil {
				return err
			}
		}
		return nil
	})
	w.equal("whether uses of other days count", ask("").Spent, false)
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Meters.Save(ctx, of.ID, license.Usage{Meter: "exports", Period: license.Daily.Label(w.now), Used: 2})
	})
	w.equal("whether the uses of today are up", ask("").Spent, true)
	w.do(func(ctx context.Context, tx Repos) error {
		held := license.Acquire(of, license.LeaseSnapshot{ID: license.NewLeaseID(w.ids), Machine: "on", Minutes: 60}, w.now)
		gone := license.RestoreLease(license.LeaseSnapshot{
			ID: license.NewLeaseID(w.ids), LicenseID: of.ID, Machine: "lapsed", Minutes: 5, AcquiredAt: w.now.Add(-day), EndsAt: w.now,
		}, 0)
		if err := tx.Leases.Save(ctx, held); err != nil {
			return err
		}
		return tx.Leases.Save(ctx, gone)
	})
	for machine, leased := range map[string]bool{"on": true, "lapsed": false} {
		s := ask(machine)
		w.equal("the leases", s.Leases, 1)
		w.equal("whether one is of "+machine, s.Leased, leased)
	}
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Transfers.Add(ctx, license.Transfer{ID: license.NewTransferID(w.ids), LicenseID: of.ID, From: "old", MovedAt: w.now, FileUntil: w.now.Add(time.Hour)})
	})
	w.equal("whether it was moved away from a machine with a file", ask("").Moved, true)
	w.checkedOut(of, "on", w.now.Add(day))
	for machine, until := range map[string]time.Time{"on": w.now.Add(day), "for good": {}, "": {}} {
		w.equal("until when a file of "+machine+" holds", ask(machine).OfflineUntil, until)
	}
}

// checkedOut notes that an offline file of a machine holds until then.
func (w *world) checkedOut(of license.Snapshot, machine license.Fingerprint, until time.Time) {
	w.Helper()
	w.do(func(ctx context.Context, tx Repos) error {
		found, err := tx.Machines.ByFingerprint(ctx, of.ID, machine)
		if err != nil {
			return err
		}
		found.CheckOut(of, until)
		return tx.Machines.Save(ctx, found)
	})
}

// owners checks licensing.Owners.
func owners(w *world) {
	sold := w.product("table", nil)
	own := w.license(sold, func(s *license.Snapshot) { s.Owner.UserID = w.person })
	other := w.license(sold, nil)
	for who, want := range map[license.Owner]bool{
		{}: true, {UserID: w.person}: true, {OrgID: w.org}: true,
		{UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgx"}: false, {OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgx"}: false,
	} {
		w.do(func(ctx context.Context, tx Repos) error {
			there, err := tx.Owners.Hold(ctx, who)
			w.equal("whether there is such an owner", there, want)
			return err
		})
	}
	w.do(func(ctx context.Context, tx Repos) error {
		id, err := tx.Owners.Bound(ctx, w.address("ada@example.com"))
		w.equal("whose an address is that is not bound", string(id), "")
		return err
	})
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Owners.Revoke(ctx, license.Owner{UserID: w.person})
	})
	for id, want := range map[license.ID]license.Status{own.ID: license.Revoked, other.ID: license.Active} {
		found, err := w.Licenses.Find(w.Context(), id)
		w.must(err)
		w.equal("the state", found.Status, want)
	}
}

// ended checks licensing.Ended: each end is told once, and another one anew.
func ended(w *world) {
	of := w.license(w.product("table", nil), func(s *license.Snapshot) { s.ExpiresAt = w.now.Add(time.Hour) })
	w.machine(of, "m", w.now.Add(time.Hour))
	w.do(func(ctx context.Context, tx Repos) error {
		return tx.Leases.Save(ctx, license.Acquire(of, license.LeaseSnapshot{ID: license.NewLeaseID(w.ids), Machine: "m", Minutes: 60}, w.now))
	})
	tell := func(now time.Time) (kinds []event.Kind) {
		w.do(func(ctx context.Context, tx Repos) error {
			for _, look := range []func(context.Context, time.Time, int) ([]event.Data, bool, error){tx.Ended.Licenses, tx.Ended.Leases, tx.Ended.Machines} {
				events, more, err := look(ctx, now, 10)
				if err != nil {
					return err
				}
				w.equal("whether there are more", more, false)
				for _, one := range events {
					kinds = append(kinds, one.Kind())
				}
			}
			return nil
		})
		return kinds
	}
	w.equal("before", tell(w.now), []event.Kind(nil))
	after := w.now.Add(time.Hour + time.Minute)
	w.equal("after", tell(after), []event.Kind{"license.expired", "license_lease.expired", "machine.lapsed"})
	w.equal("again", tell(after), []event.Kind(nil))
}
