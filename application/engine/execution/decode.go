package execution

import (
	"context"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
)

// decode validates the parameters against the command's schema and decodes them. An anonymous
// call with invalid parameters fails here; a call with a credential fails once the caller is
// known to be authorized, and counts against no limit, which saves a round trip.
func (e *Engine) decode(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		run.Arguments, run.malformed = e.arguments(run)
		if run.malformed != nil && run.Definition.Access.Anonymous() {
			return nil, e.faulty(ctx, run, run.malformed)
		}
		return next(ctx, run)
	}
}

func (e *Engine) arguments(run *Run) (any, error) {
	if complaints := run.Definition.Params.Validate(run.Params); len(complaints) > 0 {
		return nil, fault.Refuse(complaints...)
	}
	run.place = run.Definition.Place(run.Params)
	arguments, err := run.Definition.Decode(run.Params)
	if err != nil {
		return nil, err
	}
	if paged, ok := arguments.(interface{ PageCursor() string }); ok {
		err = e.Cursors.Check(paged.PageCursor())
	}
	return arguments, err
}

// encode writes a result. A dry run shows no secret.
func (r *Run) encode(result any) ([]byte, error) {
	if r.DryRun {
		return strictjson.EncodeBlanked(result)
	}
	return strictjson.Encode(result)
}
