package execution

import (
	"context"

	"gatehouse.internal/domain/maintenance"
)

// maintained refuses what the maintenance of the instance does not let through. Superadmins
// are let through whatever they call, also where a call is anonymous and names a session of
// theirs.
func (e *Engine) maintained(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		held, now := run.State.Maintenance, e.Clock.Now()
		if mode := held.InForce(now); mode != maintenance.Off && !run.Definition.Works(mode, run.Arguments) && !run.superadmin() {
			return nil, held.Refusal(now)
		}
		return next(ctx, run)
	}
}

// superadmin reports whether the call is of a superadmin.
func (r *Run) superadmin() bool {
	return r.Caller.Superadmin || r.answer.Identity != nil && r.answer.Identity.User.Superadmin
}
