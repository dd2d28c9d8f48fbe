package contract

import (
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound"
)

// Tally is a replica that counts: a store is one.
type Tally interface {
	Admission() outbound.Admission
	LimitCounters() outbound.LimitCounters
}

// Counting is a replica that counts, and can forget.
type Counting interface {
	Tally
	LimitRules(tx *sqlstore.Tx) outbound.LimitRules
}

// Instead makes what counts instead of a store, by a clock. It must ask the clock
// once between reading counters and writing them. Replicas are made of stores on one
// database, and what is made of them counts in one place.
type Instead func(t *testing.T, store *sqlstore.Store, clock outbound.Clock) Counting

// AdmissionCounts checks the limits of outbound.Admission, outbound.LimitCounters and
// LimitRules.Clear; without an Instead those of the store itself.
func AdmissionCounts(t *testing.T, open Opener, instead Instead) {
	w := newWorld(t, open)
	c := Counting(ofStore{w.store})
	if instead != nil {
		c = instead(t, w.store, w.clock)
	}
	t.Run("counts", func(t *testing.T) { w.admissionCounts(t, c) })
	t.Run("counts at all limits or at none", func(t *testing.T) { w.admissionAllOrNone(t, c) })
	t.Run("counts nothing by limits of before a change", func(t *testing.T) { w.admissionOutdated(t, c) })
	t.Run("counts what it counted often", func(t *testing.T) { w.admissionOften(t, c) })
	t.Run("refuses one of many", func(t *testing.T) { w.admissionOneOfMany(t, c) })
	t.Run("is exact when two replicas count often", func(t *testing.T) { admissionOftenParallel(t, open, instead) })
	t.Run("forgets a counter", func(t *testing.T) { w.admissionClear(t, c) })
	t.Run("forgets nothing that is taken back", func(t *testing.T) { w.admissionClearUndone(t, c) })
	t.Run("loses no call to another replica", func(t *testing.T) { admissionRace(t, open, instead) })
	t.Run("counts at all limits or at none against another replica", func(t *testing.T) { admissionWhole(t, open, instead) })
	t.Run("is exact when two replicas count", func(t *testing.T) { admissionParallel(t, open, instead) })
	t.Run("is exact at limits that cross", func(t *testing.T) { admissionCrossing(t, open, instead) })
}

// ofStore is a store that counts itself.
type ofStore struct{ *sqlstore.Store }

// LimitRules are those of the transaction.
func (ofStore) LimitRules(tx *sqlstore.Tx) outbound.LimitRules { return tx.LimitRules() }

// meddler is a clock that does something, once, the next time it is asked. Who counts
// asks it between reading counters and writing them.
type meddler struct {
	*clock
	meddle func()
}

// replicas are two on one database; the first one's clock meddles.
func replicas(t *testing.T, open Opener, instead Instead) (one, other Counting, m *meddler) {
	t.Helper()
	database := open(t)
	c := Config(t, database())
	m = &meddler{clock: &clock{now: noon()}}
	w := openWorld(t, c)
	c.Database = database()
	if instead == nil {
		c.Clock = m
	}
	store, err := sqlstore.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if instead == nil {
		return ofStore{store}, ofStore{w.store}, m
	}
	return instead(t, store, m), instead(t, w.store, w.clock), m
}
