package execution

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// faulty counts a call that is malformed or has an invalid credential by address, and
// returns its refusal, or that of the limit. Other calls from the address are
// unaffected, since others may share it. The call is refused even if the store does not
// respond.
func (e *Engine) faulty(ctx context.Context, run *Run, refusal error) error {
	switch fault.From(refusal).Code {
	case fault.Validation, fault.Unknown, fault.Auth, fault.TokenInvalid:
	default: // a token expired, or something went wrong here
		return refusal
	}
	run.State = e.Instance.State()
	err := e.count(ctx, run, func() []outbound.LimitCheck { return []outbound.LimitCheck{e.faultyCheck(run)} })
	if err != nil && fault.From(err).Code == fault.RateLimited {
		return err
	}
	return refusal
}

// deferred returns the function that counts a call once its handler knows whether the
// client is authentic.
func (e *Engine) deferred(run *Run) func(context.Context, bool) error {
	return func(ctx context.Context, proven bool) error {
		return e.count(ctx, run, func() []outbound.LimitCheck {
			if !proven {
				return e.failures(run)
			}
			_, byName := e.checks(run)
			return byName
		})
	}
}

// count counts a call by limits as they are in force, and fails where they refuse it.
func (e *Engine) count(ctx context.Context, run *Run, checks func() []outbound.LimitCheck) error {
	answer, err := e.ask(ctx, run, outbound.AdmissionAsk{Checks: checks()}, func() (outbound.AdmissionAsk, error) {
		return outbound.AdmissionAsk{Checks: checks()}, nil
	})
	if err != nil {
		return err
	}
	return limited(answer.Verdicts)
}

// faultyCheck returns the limit that malformed calls and wrong credentials of the address count at.
func (e *Engine) faultyCheck(run *Run) outbound.LimitCheck {
	return outbound.LimitCheck{
		Key:  throttle.Key(e.Blinder, command.Overall, limit.IP, limit.Subject(run.IP)),
		Rule: e.overall(run, limit.IP),
	}
}

// failures returns the limits at which a call counts that does not come from the client that it
// names.
func (e *Engine) failures(run *Run) []outbound.LimitCheck {
	checks := []outbound.LimitCheck{e.faultyCheck(run)}
	for _, spec := range e.rules(run) {
		if spec.By != limit.IP {
			checks = append(checks, outbound.LimitCheck{
				Key:  throttle.FailureKey(e.Blinder, run.Definition.Name, spec.By, run.named.Counted, limit.Subject(run.IP)),
				Rule: spec.Rule,
			})
		}
	}
	return checks
}
