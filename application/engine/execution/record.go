package execution

import (
	"context"
	"slices"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// record attaches the caller and the request to the context, so that every event stored below
// carries them.
func (e *Engine) record(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		ctx = event.WithOrigin(ctx, run.origin())
		return next(event.WithRecorder(ctx, &run.Recorder), run)
	}
}

func (r *Run) origin() event.Origin {
	origin := event.Origin{
		ActorKind: "anonymous", IP: r.address(), UserAgent: r.UserAgent,
		RequestID: r.RequestID, Command: r.Definition.Name,
	}
	switch r.Caller.Kind {
	case access.Person:
		origin.ActorKind, origin.ActorID, origin.Credential = "user", r.Caller.User.String(), r.Caller.Session.String()
	case access.Impersonated:
		origin.ActorKind, origin.ActorID, origin.Credential = "user", r.Caller.Actor.String(), r.Caller.Session.String()
		origin.OnBehalfOf = r.Caller.User.String()
	case access.Key:
		origin.ActorKind, origin.ActorID = "user", r.Caller.User.String()
		origin.Credential = r.Caller.APIKey.String()
	case access.App:
		origin.ActorKind, origin.ActorID = "app", r.Caller.App.String()
	case access.Delegated:
		origin.ActorKind, origin.ActorID = "user", r.Caller.User.String()
		origin.Credential = r.Caller.Grant.String()
	}
	return origin
}

// compare logs the stored events that the command's declaration does not name: the
// published catalog is wrong about them.
func (e *Engine) compare(run *Run) {
	for _, kind := range run.Recorder.Kinds {
		ofFlow := run.Definition.Trigger != "" && kind == flow.KindFailed // whatever the command is
		if ofFlow || slices.Contains(run.Definition.Emits, kind) {
			continue
		}
		e.Logger.Error("undeclared event", "command", run.Definition.Name, "kind", string(kind))
		if e.Undeclared != nil {
			e.Undeclared(run.Definition.Name, kind)
		}
	}
}
