package execution

import (
	"context"

	"gatehouse.internal/application/flow/live"
)

// decided has the flow of the instance decide, as far as it needs no account, where the
// command is one that flows decide about. The rest is for the pipeline behind the proof.
func (e *Engine) decided(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if !run.Definition.Decided(run.Arguments) {
			return next(ctx, run)
		}
		ctx, err := e.Flows.Begin(ctx, run.State, live.Call{
			Trigger: run.Definition.Trigger, IP: run.IP, UserAgent: run.UserAgent, DryRun: run.DryRun, Quiet: run.Definition.Quiet,
		})
		if err != nil {
			return nil, err
		}
		return next(ctx, run)
	}
}
