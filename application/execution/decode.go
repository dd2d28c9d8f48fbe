package execution

import (
	"context"

	"gatehouse.internal/application/strictjson"
	"gatehouse.internal/domain/fault"
)

// decode holds the parameters against the command's schema and makes its struct
// of them.
func (e *Engine) decode(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if err := e.arguments(run); err != nil {
			return nil, err
		}
		return next(ctx, run)
	}
}

func (e *Engine) arguments(run *Run) error {
	if run.decoded {
		return nil
	}
	if complaints := run.Definition.Params.Validate(run.Params); len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	arguments, err := run.Definition.Decode(run.Params)
	if err != nil {
		return err
	}
	run.Arguments, run.decoded = arguments, true
	return nil
}

// encode writes a result. A dry run shows no secret.
func (r *Run) encode(result any) ([]byte, error) {
	if r.DryRun {
		return strictjson.EncodeBlanked(result)
	}
	return strictjson.Encode(result)
}
