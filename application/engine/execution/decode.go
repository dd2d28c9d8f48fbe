package execution

import (
	"context"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
)

// decode holds the parameters against the command's schema and makes its struct
// of them. An anonymous call that must fail for its parameters fails here. With a
// credential it fails once that is known to suffice, and counts against no limit, which
// saves a round trip.
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
