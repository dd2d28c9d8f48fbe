package execution

import (
	"context"
	"fmt"
	"runtime/debug"
)

// recoverPanic turns a panic into an INTERNAL_ERROR of one call. The stack goes to the log.
func (e *Engine) recoverPanic(next Step) Step {
	return func(ctx context.Context, run *Run) (data []byte, err error) {
		defer func() {
			if recovered := recover(); recovered != nil {
				data, err = nil, fmt.Errorf("panic: %v\n%s", recovered, debug.Stack())
			}
		}()
		return next(ctx, run)
	}
}
