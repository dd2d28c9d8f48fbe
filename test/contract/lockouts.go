package contract

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Lockouts checks people.Lockouts.
func Lockouts(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("lists locked accounts", w.lockoutsAccounts)
	t.Run("lists locks of second factors", func(t *testing.T) { newWorld(t, open).lockoutsFactors(t) })
	t.Run("lists addresses of failed logins", func(t *testing.T) { newWorld(t, open).lockoutsAddresses(t) })
}

// locked stores an account that is locked until a time.
func (w *world) locked(t *testing.T, address string, until time.Time) user.ID {
	t.Helper()
	owner := w.person(t, address).ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.Restore(credential.Snapshot{UserID: owner, LockedUntil: until}, 0))
	})
	return owner
}

func (w *world) lockoutsAccounts(t *testing.T) {
	hour := noon().Add(time.Hour)
	w.locked(t, "free@example.com", time.Time{})
	w.locked(t, "free-again@example.com", noon())
	first := w.locked(t, "first@example.com", noon().Add(time.Microsecond))
	second, third := w.locked(t, "second@example.com", hour), w.locked(t, "third@example.com", hour)
	for range 3 {
		w.happen(t, event.Origin{}, loginevent.Failed{UserID: third, Reason: loginevent.WrongPassword})
	}
	w.happen(t, event.Origin{}, loginevent.Succeeded{UserID: third}, loginevent.Failed{UserID: second, Reason: loginevent.WrongPassword})
	list := func(q people.LockedQuery) []people.LockedAccount {
		t.Helper()
		q.Now = noon()
		found, err := w.store.Lockouts.Accounts(t.Context(), q)
		is(t, "the list", err, nil)
		return found
	}
	all := []people.LockedAccount{
		{UserID: third, Until: hour, Failures: 3}, {UserID: second, Until: hour, Failures: 1}, {UserID: first, Until: noon().Add(time.Microsecond)},
	}
	since := noon().Add(-time.Hour)
	equal(t, "all", list(people.LockedQuery{Since: since, Most: 9}), all)
	for i := range all {
		equal(t, "a page of one", list(people.LockedQuery{Since: since, Most: 9, Limit: 1, Before: before(all, i)}), all[i:i+1])
	}
	equal(t, "behind the last", list(people.LockedQuery{Since: since, Most: 9, Before: all[2]}), []people.LockedAccount{})
	equal(t, "counted no further", list(people.LockedQuery{Since: since, Most: 2, Limit: 1})[0].Failures, 2)
	equal(t, "counted from later on", list(people.LockedQuery{Since: noon().Add(time.Hour), Most: 2, Limit: 1})[0].Failures, 0)
}

// lockedFactors locks an account for codes, too.
func (w *world) lockedFactors(t *testing.T, owner user.ID, until time.Time) user.ID {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Factors.Save(ctx, mfa.Restore(mfa.Snapshot{UserID: owner, LockedUntil: until}, 0))
	})
	return owner
}

// An account that is locked both ways stands at the later end, and there alone.
func (w *world) lockoutsFactors(t *testing.T) {
	soon, late := noon().Add(time.Minute), noon().Add(time.Hour)
	w.lockedFactors(t, w.person(t, "free@example.com").ID(), noon())
	password := w.locked(t, "password@example.com", soon)
	codes := w.lockedFactors(t, w.person(t, "codes@example.com").ID(), soon)
	same := w.lockedFactors(t, w.locked(t, "same@example.com", soon), soon)
	passwordLate := w.lockedFactors(t, w.locked(t, "password-late@example.com", late), soon)
	codesLate := w.lockedFactors(t, w.locked(t, "codes-late@example.com", soon), late)
	codesOver := w.lockedFactors(t, w.locked(t, "codes-over@example.com", soon), noon())
	w.happen(t, event.Origin{}, mfa.Failed{UserID: codesLate}, mfa.Succeeded{UserID: codesLate},
		loginevent.Failed{UserID: codesLate, Reason: loginevent.WrongPassword}, mfa.Failed{UserID: codesLate}, mfa.Failed{UserID: codes})
	all := []people.LockedAccount{
		{UserID: codesLate, Until: late, Failures: 3},
		{UserID: passwordLate, Until: late},
		{UserID: codesOver, Until: soon},
		{UserID: same, Until: soon},
		{UserID: codes, Until: soon, Failures: 1},
		{UserID: password, Until: soon},
	}
	list := func(limit int, last people.LockedAccount) []people.LockedAccount {
		t.Helper()
		found, err := w.store.Lockouts.Accounts(t.Context(), people.LockedQuery{
			Now: noon(), Since: noon().Add(-time.Hour), Most: 9, Before: last, Limit: limit,
		})
		is(t, "the list", err, nil)
		return found
	}
	for limit := range len(all) + 1 {
		for from := range all {
			to := len(all)
			if limit > 0 {
				to = min(from+limit, to)
			}
			equal(t, "a page", list(limit, before(all, from)), all[from:to])
		}
		equal(t, "behind the last", list(limit, all[len(all)-1]), []people.LockedAccount{})
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		held, err := tx.Factors.ByUser(ctx, codes)
		if err != nil {
			return err
		}
		held.Unlock()
		return tx.Factors.Save(ctx, held)
	})
	equal(t, "without those that were unlocked", list(9, all[3]), all[5:])
}

// before is the one before an item, none before the first.
func before(all []people.LockedAccount, i int) people.LockedAccount {
	if i == 0 {
		return people.LockedAccount{}
	}
	return all[i-1]
}

func (w *world) lockoutsAddresses(t *testing.T) {
	failed := loginevent.Failed{Reason: loginevent.UnknownUser}
	from := func(ip string, what event.Data) { w.happen(t, event.Origin{ActorKind: "anonymous", IP: ip}, what) }
	from("203.0.113.1", failed)
	from("203.0.113.2", failed)
	from("2001:db8::1", loginevent.Succeeded{})
	from("", failed)
	from("nonsense", failed)
	from("203.0.113.1", failed)
	from("2001:db8::2", failed)
	list := func(since time.Time, most int) []string {
		t.Helper()
		found, err := w.store.Lockouts.Addresses(t.Context(), since, most)
		is(t, "the list", err, nil)
		texts := []string{}
		for _, one := range found {
			texts = append(texts, one.IP.String())
		}
		return texts
	}
	all := []string{netip.MustParseAddr("2001:db8::2").String(), "203.0.113.1", "203.0.113.2"}
	equal(t, "all", list(noon(), 9), all)
	equal(t, "the latest", list(noon(), 1), all[:1])
	equal(t, "those of later", list(noon().Add(time.Hour), 9), []string{})
}
