package execution_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/inbound"
)

// expiring is a context whose deadline passes when over is closed.
type expiring struct {
	context.Context

	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A command that exceeds the time limit of the engine is answered so that clients repeat it. One whose
// caller hangs up, and one that fails by itself, is an internal error as ever.
func TestCommandsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	waits := reads("LAB.WAIT", access.Public())
	waits.Limits = []limit.Spec{limit.PerMinute(limit.IP, 60)}
	begun := func() {}
	waits.Handle = func(ctx context.Context, _ command.Call, _ params) (result, error) {
		begun()
		<-ctx.Done()
		return result{}, ctx.Err()
	}
	l := newLab(t, waits)
	execute := func(ctx context.Context, within time.Duration) *fault.Error {
		engine := *l.engine
		engine.Patience = within
		engine.Prepare()
		return engine.Execute(ctx, inbound.Request{
			Command: "LAB.WAIT", Params: []byte(`{"value":"x"}`), RequestID: "req-lab", IP: netip.MustParseAddr("192.0.2.1"),
		}).Failure
	}
	// It makes no difference whether the time is over before the handler runs.
	for _, within := range []time.Duration{time.Nanosecond, 50 * time.Millisecond} {
		failure := execute(t.Context(), within)
		if failure == nil || failure.Code != fault.RateLimited || !failure.Service || failure.RetryAfter <= 0 {
			t.Fatalf("after %v: %+v, want a temporary failure", within, failure)
		}
	}
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	if failure := execute(gone, time.Hour); failure == nil || failure.Code != fault.Internal {
		t.Errorf("a caller that hung up: %+v, want an internal error", failure)
	}
	brief := expiring{Context: t.Context(), over: make(chan struct{})}
	begun = func() { close(brief.over) }
	if failure := execute(brief, time.Hour); failure == nil || failure.Code != fault.Internal {
		t.Errorf("a caller whose own time is over: %+v, want an internal error", failure)
	}
}
