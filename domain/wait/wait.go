// Package wait is how anything here waits for time to pass.
package wait

import (
	"context"
	"time"
)

// For waits. It fails with the context's error as soon as that ends.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
