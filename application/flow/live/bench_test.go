package live_test

import (
	"net/netip"
	"testing"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/flow"
)

// BenchmarkNoFlow is what a call pays for flows while none is enabled.
func BenchmarkNoFlow(b *testing.B) {
	flows, state := &live.Flows{}, &instance.State{}
	call := live.Call{Trigger: flow.Refresh, IP: netip.MustParseAddr("192.0.2.7"), UserAgent: "curl/8.0"}
	b.ReportAllocs()
	for b.Loop() {
		ctx, err := flows.Begin(b.Context(), state, call)
		if err != nil || live.Trigger(ctx) != "" {
			b.Fatal("a flow decides", err)
		}
		if verdict, err := live.DecideAlone(ctx, live.Subject{}); err != nil || verdict.Blocked != nil {
			b.Fatal("a flow denies", err)
		}
	}
}
