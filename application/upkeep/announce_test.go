package upkeep_test

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// Replicas announce themselves when they start, and leave when they stop.
func TestReplicasAnnounceThemselves(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		listed := func() []harness.P {
			return here.Superadmin().Do("SYSTEM.REPLICA_LIST", nil).OK().List("items")
		}
		until := func(n int) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); len(listed()) != n; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("listed are %v, want %d", listed(), n)
				}
			}
		}
		run := func(h *harness.Service) (stop func()) {
			ctx, end := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { defer close(ended); h.Keeper.Run(ctx) }()
			return func() { end(); <-ended }
		}
		defer run(here)()
		stop := run(there)
		until(2)
		for _, one := range listed() {
			if one["version"] != "dev" || one["replica"] == "" || one["started_at"] == nil || one["last_seen_at"] == nil {
				t.Errorf("%v", one)
			}
		}
		stop()
		until(1)
	})
}
