package live

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// RunRepos are repositories that include one for runs of flows.
type RunRepos interface{ FlowRuns() ops.FlowRuns }

// Unit returns a unit of work in which flows decide: external results they need are
// obtained outside of it, and it starts again. Runs are stored with it or, if the call
// is refused, separately.
func Unit[R RunRepos](inner outbound.Unit[R]) outbound.Unit[R] { return unit[R]{inner} }

type unit[R RunRepos] struct{ inner outbound.Unit[R] }

// Do is that of outbound.Unit.
func (u unit[R]) Do(ctx context.Context, change func(tx R) error) error {
	a := attemptOf(ctx)
	if a == nil || a.alone {
		return u.inner.Do(ctx, change)
	}
	return outside.Repeat(ctx, func() error {
		err := u.inner.Do(ctx, func(tx R) error {
			clear(a.runs) // A unit that runs twice decides twice.
			if err := change(tx); err != nil {
				return err
			}
			return tx.FlowRuns().Add(ctx, a.noted()...)
		})
		if err != nil && fault.From(err).Code != fault.Internal {
			return cmp.Or(a.storeAlone(ctx), err)
		}
		clear(a.runs)
		return err
	})
}
