package licensing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
)

const (
	// longestBatch is how long a batch may take.
	longestBatch = 5 * time.Second
	// leastLeft is how long before it lapses a machine must be for its heartbeat to be stored without a
	// lock of its license. It ensures that by no replica's clock the machine lapses, and another one
	// takes its place, before the batch is stored.
	leastLeft = license.ClockSkew + longestBatch
)

// Heartbeats returns what stores heartbeats of machines, concurrent ones in batches.
func Heartbeats(store *sqlstore.Store) licensing.Heartbeats {
	h := &heartbeats{store: store}
	h.group.Run, h.group.Timeout = h.run, longestBatch
	return h
}

type heartbeats struct {
	store *sqlstore.Store
	group batch.Group[beat, heartbeatOutcome]
}

// beat is a heartbeat: the digests of the license key and of the fingerprint of the machine.
type beat struct{ key, machine string }

// heartbeatOutcome is the outcome of a heartbeat.
type heartbeatOutcome struct {
	until time.Time
	noted bool
}

// liveMachine is a machine that does not lapse soon.
type liveMachine struct {
	Key      string            `db:"key"`
	Digest   string            `db:"machine"`
	ID       license.MachineID `db:"id"`
	LapsesAt sqlstore.Instant  `db:"lapses_at"`
	Terms    string            `db:"terms"`
}

// Beat stores a heartbeat, and returns when the machine lapses without another one. It reports false if
// the caller has to do so in a transaction: one is open around the command, or the machine has lapsed
// or will soon.
func (h *heartbeats) Beat(ctx context.Context, canonical string, machine license.Fingerprint) (until time.Time, noted bool, err error) {
	if h.store.Enclosed(ctx) {
		return time.Time{}, false, nil
	}
	got, err := h.group.Do(ctx, beat{h.store.Index(label.LicenseKey, canonical), h.store.Index(label.Machine, string(machine))})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("store a heartbeat: %w", err)
	}
	return got.until, got.noted, nil
}

// run stores a batch of heartbeats.
func (h *heartbeats) run(ctx context.Context, asked []beat) ([]batch.Outcome[heartbeatOutcome], error) {
	now := h.store.Clock().Now().Truncate(time.Microsecond)
	found, err := h.living(ctx, asked, now)
	if err != nil || len(found) == 0 {
		return make([]batch.Outcome[heartbeatOutcome], len(asked)), err
	}
	stored, err := h.write(ctx, found, now)
	if err != nil {
		return nil, err
	}
	became := make(map[beat]heartbeatOutcome, len(found))
	for _, one := range found {
		until, noted := stored[one.ID]
		became[beat{one.Key, one.Digest}] = heartbeatOutcome{until, noted}
	}
	outcomes := make([]batch.Outcome[heartbeatOutcome], len(asked))
	for i, one := range asked {
		outcomes[i].Answer = became[one]
	}
	return outcomes, nil
}

// living reads the machines that do not lapse soon, of valid licenses.
func (h *heartbeats) living(ctx context.Context, asked []beat, now time.Time) (found []liveMachine, err error) {
	table := make(sqlstore.Rows, len(asked))
	for i, one := range asked {
		table[i] = []any{one.key, one.machine}
	}
	at := sqlstore.At(now)
	err = h.store.Committed().List(ctx, &found, `
		SELECT r.key, r.machine, m.id, m.lapses_at, l.terms FROM {rows key text, machine text}
		JOIN license_keys k ON k.digest = r.key AND (k.ends_at IS NULL OR k.ends_at > ?)
		JOIN licenses l ON l.id = k.license_id AND l.status = 'active' AND (l.ends_at IS NULL OR l.ends_at > ?)
		JOIN workspaces w ON w.id = l.org_id AND w.deleted_at IS NULL
		JOIN license_machines m ON m.license_id = l.id AND m.digest = r.machine AND (m.lapses_at IS NULL OR m.lapses_at > ?)`,
		table, at, at, sqlstore.At(now.Add(leastLeft)))
	if err != nil {
		return nil, fmt.Errorf("read the machines of heartbeats: %w", err)
	}
	return found, nil
}

// write stores heartbeats, sorted by machine so that batches do not deadlock, and returns when each machine
// lapses. Machines that do not exist any more are left out.
func (h *heartbeats) write(ctx context.Context, found []liveMachine, now time.Time) (map[license.MachineID]time.Time, error) {
	table := make(sqlstore.Rows, 0, len(found))
	seen := map[license.MachineID]bool{}
	for _, one := range slices.SortedFunc(slices.Values(found), func(a, b liveMachine) int { return cmp.Compare(a.ID, b.ID) }) {
		if seen[one.ID] {
			continue
		}
		seen[one.ID] = true
		var of license.Snapshot
		if err := decode(one.Terms, &of.Terms); err != nil {
			return nil, fmt.Errorf("decode the terms of a license: %w", err)
		}
		alive := license.RestoreMachine(license.MachineSnapshot{ID: one.ID, LapsesAt: one.LapsesAt.Time}, 0)
		alive.Beat(of, now)
		table = append(table, []any{one.ID.String(), sqlstore.At(now), sqlstore.At(alive.Snapshot().LapsesAt)})
	}
	var stored []liveMachine
	err := h.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		stored = nil
		return tx.List(ctx, &stored, `
			UPDATE license_machines SET beat_at = r.beat_at, version = license_machines.version + 1,
				lapses_at = CASE WHEN r.lapses_at < license_machines.lapses_at THEN license_machines.lapses_at ELSE r.lapses_at END
			FROM {rows id text, beat_at time, lapses_at time}
			WHERE license_machines.id = r.id AND (license_machines.lapses_at IS NULL OR license_machines.lapses_at > ?)
			RETURNING license_machines.id, license_machines.lapses_at`, table, sqlstore.At(now.Add(leastLeft)))
	})
	if err != nil {
		return nil, fmt.Errorf("store heartbeats: %w", err)
	}
	until := make(map[license.MachineID]time.Time, len(stored))
	for _, one := range stored {
		until[one.ID] = one.LapsesAt.Time
	}
	return until, nil
}
