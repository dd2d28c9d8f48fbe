// Package outside does work outside of transactions that turns out to be needed inside one:
// the transaction is rolled back, the work is done, and the transaction begins again.
package outside

import (
	"context"
	"errors"
)

// Request is returned inside a unit of work that needs something done outside of it. It is
// not a failure: [Repeat] calls Do and starts the unit again.
type Request struct {
	Do func(ctx context.Context) error
}

func (*Request) Error() string { return "something is to be done outside of the unit of work" }

// Repeat calls try until nothing is wanted any more.
func Repeat(ctx context.Context, try func() error) error {
	for {
		err := try()
		wanted, is := errors.AsType[*Request](err)
		if !is {
			return err
		}
		if err := wanted.Do(ctx); err != nil {
			return err
		}
	}
}

// maxRounds limits how often the transaction around a command begins again. After that, work
// is done inside of it.
const maxRounds = 20

// errAgain ends a command that begins again.
var errAgain = errors.New("the command begins again outside of its transaction")

// transaction is a transaction around a command.
type transaction struct {
	rounds int
	work   func(ctx context.Context) error
}

type contextKey struct{}

// Run does work outside of the transaction around a command, if there is one. The transaction
// is then rolled back and the command begins again, so that the result of the work must
// outlive the call. It must not be called inside a unit of work.
func Run(ctx context.Context, work func(ctx context.Context) error) error {
	a, is := ctx.Value(contextKey{}).(*transaction)
	if !is || a.rounds >= maxRounds {
		return work(ctx)
	}
	a.work = work
	return errAgain
}

// Stay has the transaction around a command not begin again, because a part of it is about to
// be committed.
func Stay(ctx context.Context) {
	if a, is := ctx.Value(contextKey{}).(*transaction); is {
		a.rounds = maxRounds
	}
}

// Within runs a command within a transaction, which is committed if keep says so.
type Within func(ctx context.Context, keep func(kept bool) bool) error

// Around runs a command within a transaction, until nothing is to be done outside of it.
func Around(ctx context.Context, within Within) error {
	if ctx.Value(contextKey{}) != nil {
		return Once(ctx, within)
	}
	for a := (&transaction{}); ; a.rounds++ {
		a.work = nil
		err := within(context.WithValue(ctx, contextKey{}, a), func(kept bool) bool { return kept && a.work == nil })
		if a.work == nil || err != nil {
			return err
		}
		if err := a.work(ctx); err != nil {
			return err
		}
	}
}

// Once runs a command within a transaction that does not begin again.
func Once(ctx context.Context, within Within) error {
	return within(ctx, func(kept bool) bool { return kept })
}
