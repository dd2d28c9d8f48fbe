package operations_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/upkeep"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// afterAges is an instance in which three sessions are long over.
func afterAges(t *testing.T) (*harness.Service, *harness.Actor) {
	t.Helper()
	h := harness.New(t)
	h.SignUp("alice@example.com")
	h.SignUp("bob@example.com")
	h.Superadmin()
	h.Clock.Advance(400 * 24 * time.Hour)
	return h, h.Superadmin()
}

func sessions(root *harness.Actor) int {
	return root.Do("SYSTEM.STATS_GET", nil).OK().Int("rows.sessions")
}

func TestPurgeRemovesWhatHasExpired(t *testing.T) {
	t.Parallel()
	h, root := afterAges(t)
	if n := sessions(root); n != 4 {
		t.Fatalf("%d sessions", n)
	}
	purged := root.Do("SYSTEM.PURGE_EXPIRED", nil).OK()
	if purged.Int("deleted.sessions") != 3 || len(purged.Data["deleted"].(harness.P)) != len(ops.PurgeKinds()) {
		t.Errorf("deleted %v", purged.Data)
	}
	if n := sessions(root); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
	events := h.Events("system.purged")
	if len(events) != 1 || events[0].Origin.ActorID != root.UserID {
		t.Fatalf("events %v", events)
	}
	var recorded struct{ Deleted map[string]int }
	if err := json.Unmarshal(events[0].Data, &recorded); err != nil || recorded.Deleted["sessions"] != 3 {
		t.Errorf("told %v, %v", recorded, err)
	}
	if again := root.Do("SYSTEM.PURGE_EXPIRED", nil).OK(); again.Int("deleted.sessions") != 0 {
		t.Errorf("deleted again %v", again.Data)
	}
}

func TestPurgeOfSomeKinds(t *testing.T) {
	t.Parallel()
	_, root := afterAges(t)
	others := root.Do("SYSTEM.PURGE_EXPIRED", harness.P{"kinds": []string{"rate_limits", "idempotency_keys"}}).OK()
	if deleted := others.Data["deleted"].(harness.P); len(deleted) != 2 {
		t.Errorf("deleted %v", deleted)
	}
	if n := sessions(root); n != 4 {
		t.Errorf("%d sessions are left", n)
	}
	former := root.Do("SYSTEM.PURGE_EXPIRED", harness.P{"kinds": []string{"licence_keys"}}).OK()
	if got := former.Int("deleted.license_keys"); got != 0 {
		t.Errorf("by the former name %d keys of licenses were removed, want 0", got)
	}
	if some := root.Do("SYSTEM.PURGE_EXPIRED", harness.P{"kinds": []string{"sessions"}}).OK(); some.Int("deleted.sessions") != 3 {
		t.Errorf("deleted %v", some.Data)
	}
}

func TestPurgeRehearsed(t *testing.T) {
	t.Parallel()
	h, root := afterAges(t)
	would := root.DryRun().Do("SYSTEM.PURGE_EXPIRED", nil).OK()
	if would.Int("deleted.sessions") != 3 || len(would.Strings("dry_run.events")) != 1 {
		t.Errorf("would %v", would.Data)
	}
	if n := sessions(root); n != 4 || len(h.Events("system.purged")) > 0 {
		t.Errorf("%d sessions are left, events %v", n, h.Events("system.purged"))
	}
}

func TestPurgeOnce(t *testing.T) {
	t.Parallel()
	h, root := afterAges(t)
	first := root.Idempotent("k").Do("SYSTEM.PURGE_EXPIRED", nil).OK()
	second := root.Idempotent("k").Do("SYSTEM.PURGE_EXPIRED", nil).OK()
	if !second.Replayed || second.Int("deleted.sessions") != first.Int("deleted.sessions") || len(h.Events("system.purged")) != 1 {
		t.Errorf("%v, then %v", first.Data, second.Data)
	}
}

// stuck is a store that fails after its first batch.
type stuck struct {
	ops.Upkeep

	batches *int
}

var errStuck = errors.New("the disk is full")

func (s stuck) Purge(context.Context, ops.PurgeKind, time.Time) (int, error) {
	if *s.batches++; *s.batches > 1 {
		return 0, errStuck
	}
	return 500, nil
}

// book keeps the events that are recorded; it is its own unit of work.
type book struct{ events []event.Data }

func (b *book) Record(_ context.Context, happened ...event.Data) error {
	b.events = append(b.events, happened...)
	return nil
}

func (b *book) RecordChange(_ context.Context, happened event.Data, _ event.Change) error {
	b.events = append(b.events, happened)
	return nil
}

func (b *book) Do(_ context.Context, change func(system.Repos) error) error {
	return change(system.Repos{Events: b})
}

func TestPurgeReportsWhatWasDeletedBeforeAFailure(t *testing.T) {
	t.Parallel()
	kept := &book{}
	s := &system.Service{Unit: kept, Upkeep: stuck{batches: new(int)}, Clock: ticking{new(time.Time)}}
	at := slices.IndexFunc(s.Commands(), func(d command.Definition) bool { return d.Name == "SYSTEM.PURGE_EXPIRED" })
	_, err := s.Commands()[at].Handle(context.Background(), command.Call{}, system.PurgeExpiredParams{})
	if !errors.Is(err, errStuck) {
		t.Errorf("failed with %v", err)
	}
	if len(kept.events) != 1 || kept.events[0].(upkeep.Purged).Deleted["sessions"] != 500 {
		t.Errorf("told %v", kept.events)
	}
}
