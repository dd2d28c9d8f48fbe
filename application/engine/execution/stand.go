package execution

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// stand makes every unit of work of the call check that the credential of the call is still
// valid. If that check fails, its refusal is the answer, whatever the handler returns.
func (e *Engine) stand(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if !run.tokened() || run.Definition.Effect == command.Reads {
			return next(ctx, run)
		}
		run.acting = run.acts()
		data, err := next(outbound.WithActing(ctx, run.acting), run)
		if run.acting.Refused() {
			return nil, run.acting.Refusal
		}
		return data, err
	}
}

// acts returns the credential in the form that the store checks.
func (r *Run) acts() *outbound.ActingCredential {
	by := &outbound.ActingCredential{Ends: r.Definition.EndsOwn(r.Caller, r.Arguments)}
	switch r.presented.kind {
	case access.Person, access.Impersonated:
		by.Session, by.Refusal = r.Caller.Session, session.ErrEnded
		if standing := r.answer.Identity.Impersonation; standing != nil {
			by.Through = standing.ActorSession
		}
	case access.Key:
		by.Key, by.Refusal = r.presented.key, errKey
	case access.Delegated:
		by.Grant, by.Sources, by.Refusal = r.Caller.Grant, r.Caller.Sources, errWithdrawn
	case access.App:
		by.Token, by.Refusal = r.presented.token.ID, errRevoked
	}
	return by
}
