package execution

import (
	"context"

	"gatehouse.internal/ports/outbound"
)

// presume runs an anonymous call on a presumption, where there is one. Only when it
// was counted does its outcome stand; else nothing was stored, and the call is to be
// admitted as any other.
func (e *Engine) presume(ctx context.Context, run *Run, question outbound.AdmissionAsk, next Step) (data []byte, counted bool, err error) {
	if e.Presumer == nil || !run.named.Presumable || run.presented != nil || run.DryRun || run.DPoP != "" {
		return nil, false, nil
	}
	question.Revision = run.State.Revision
	ctx, presumed := e.Presumer.Presume(ctx, question)
	if presumed == nil {
		return nil, false, nil
	}
	run.answer = presumed.Answer()
	data, err = next(ctx, run)
	return data, presumed.Counted(), err
}
