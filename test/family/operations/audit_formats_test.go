package operations_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/test/harness"
)

// While a replica of the previous release is alive, blocks are sealed in the format that it
// verifies; every block is verified by its own.
func TestBlocksDuringAnUpgrade(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
		older := func() {
			err := unit.Do(t.Context(), func(tx *sqlstore.Tx) error {
				now := sqlstore.At(h.Clock.Now())
				_, err := tx.Exec(t.Context(), `INSERT INTO replicas (id, version, started_at, last_seen_at, clock_skew_ms) VALUES ('older', 'v1', ?, ?, 0)
					ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at`, now, now)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		alive := []bool{true, false, true}
		for n, seen := range alive {
			root.Do("ROLE.CREATE", P{"name": fmt.Sprint("role ", n), "permissions": []string{"apps:read"}}).OK()
			h.Clock.Advance(2 * time.Minute)
			if seen {
				older()
			}
			h.SendWebhooks()
			if err := h.Relay.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		blocks, err := webhooks.Chain(h.Store).Blocks(t.Context(), 1, time.Time{}, len(alive)+1)
		if err != nil || len(blocks) != len(alive) {
			t.Fatalf("%d blocks, %v", len(blocks), err)
		}
		for n, want := range []audit.Format{audit.Original, audit.Indexed, audit.Original} {
			if blocks[n].Format != want {
				t.Errorf("block %d has format %d, want %d", n+1, blocks[n].Format, want)
			}
		}
		move := func(b audit.Block) bool {
			t.Helper()
			run(t, h, "UPDATE events SET ip_index = 'another' WHERE id = '"+b.Proofs[0].Event.String()+"'")
			return root.Do("AUDIT.VERIFY", nil).OK().Bool("intact")
		}
		if !root.Do("AUDIT.VERIFY", nil).OK().Bool("intact") || !move(blocks[2]) {
			t.Error("blocks of the original format are not verified by it")
		}
		if move(blocks[1]) {
			t.Error("an event is found by another address, which nothing tells")
		}
	})
}
