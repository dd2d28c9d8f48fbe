package execution

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// stand has the store make sure, in every unit of work of the call, that the credential
// still stands by which the call was admitted. What it was refused for that is the answer,
// whatever the handler makes of it.
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

// acts is the credential for the store.
func (r *Run) acts() *outbound.Acting {
	by := &outbound.Acting{Ends: r.Definition.EndsOwn(r.Caller, r.Arguments)}
	switch r.presented.kind {
	case access.Person:
		by.Session, by.Refusal = r.Caller.Session, session.ErrEnded
	case access.Key:
		by.Key, by.Refusal = r.presented.key, errKey
	case access.Delegated:
		by.Grant, by.Refusal = r.Caller.Grant, errWithdrawn
	case access.App:
		by.Token, by.Refusal = r.presented.token.ID, errRevoked
	}
	return by
}
