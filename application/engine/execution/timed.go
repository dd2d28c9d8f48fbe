package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/fault"
)

const (
	// patience is the time limit of a command. It is shorter than that of the server, so
	// that a hanging store leads to a response.
	patience = 50 * time.Second
	// afterwards is how long the caller of a command that was too slow is asked to wait.
	afterwards = 10 * time.Second
)

// timed ends a call that takes too long. What the handler stored by then remains stored, such as
// the finished rows of a bulk command.
func (e *Engine) timed(next Step) Step {
	limit := e.Patience
	if limit == 0 {
		limit = patience
	}
	late := fault.Unavailable(fmt.Sprintf("the command exceeded the time limit of %.0f seconds: wait until the time in Retry-After has passed, "+
		"then repeat the call; a bulk command keeps its finished rows and continues with the others", limit.Seconds()), afterwards)
	return func(ctx context.Context, run *Run) ([]byte, error) {
		inner, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		data, err := next(inner, run)
		if err == nil || fault.From(err).Public() || ctx.Err() != nil || !errors.Is(inner.Err(), context.DeadlineExceeded) {
			return data, err
		}
		e.Logger.WarnContext(ctx, "command exceeded its time limit", "command", run.name(), "request_id", run.RequestID, "cause", err)
		return nil, late.Because(err)
	}
}
