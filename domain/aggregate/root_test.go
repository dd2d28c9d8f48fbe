package aggregate_test

import (
	"testing"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

type happened string

func (h happened) Kind() event.Kind { return event.Kind(h) }

func TestEventsAreHandedOverOnce(t *testing.T) {
	t.Parallel()
	var r aggregate.Root
	if r.Version() != 0 || r.Changed() {
		t.Errorf("a fresh aggregate is at version %d, changed %v", r.Version(), r.Changed())
	}
	r.Raise(happened("a.made"))
	r.Raise(happened("a.renamed"))
	if !r.Changed() || r.Version() != 0 {
		t.Errorf("after two events: version %d, changed %v", r.Version(), r.Changed())
	}
	stored := r.Stored()
	if len(stored) != 2 || stored[0] != happened("a.made") || stored[1] != happened("a.renamed") || r.Version() != 1 || r.Changed() {
		t.Errorf("stored %v at version %d, changed %v", stored, r.Version(), r.Changed())
	}
	if again := r.Stored(); len(again) != 0 || r.Version() != 2 {
		t.Errorf("stored %v again at version %d", again, r.Version())
	}
}

// A copy of an aggregate that is stored leaves the original to be stored again.
func TestCopiesAreIndependent(t *testing.T) {
	t.Parallel()
	original := aggregate.At(7)
	original.Raise(happened("a.renamed"))
	copied := original
	copied.Stored()
	copied.Raise(happened("a.deleted"))
	if !original.Changed() || original.Version() != 7 || copied.Version() != 8 {
		t.Errorf("versions %d and %d", original.Version(), copied.Version())
	}
	if stored := original.Stored(); len(stored) != 1 || stored[0] != happened("a.renamed") {
		t.Errorf("stored %v", stored)
	}
}

func TestConflictIsInternal(t *testing.T) {
	t.Parallel()
	if aggregate.ErrConflict.Code != fault.Internal {
		t.Errorf("a conflict is %s", aggregate.ErrConflict.Code)
	}
}
