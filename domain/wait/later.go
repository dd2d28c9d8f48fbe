package wait

import (
	"context"
	"sync/atomic"
	"time"
)

type debtKey struct{}

// Later returns a context under which Owe puts waiting off, and a function that waits
// for all that was put off. It is for work under a lock that others wait for.
func Later(ctx context.Context) (context.Context, func(context.Context) error) {
	var owed atomic.Int64
	return context.WithValue(ctx, debtKey{}, &owed), func(ctx context.Context) error {
		return For(ctx, time.Duration(owed.Load()))
	}
}

// Owe waits like For, or under a context of Later puts it off.
func Owe(ctx context.Context, d time.Duration) error {
	if owed, later := ctx.Value(debtKey{}).(*atomic.Int64); later {
		owed.Add(int64(max(0, d)))
		return nil
	}
	return For(ctx, d)
}
