package execution

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/throttle"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// admit asks the store, in one round trip that many requests share, for the
// session behind the credential, the limits that this call counts against, and
// the revision of the configuration.
func (e *Engine) admit(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		run.State = e.Instance.State()
		checks, err := e.checks(ctx, run)
		if err != nil {
			return nil, err
		}
		if data, counted, err := e.presume(ctx, run, checks, next); counted {
			return data, err
		}
		answer, err := e.ask(ctx, run, checks)
		if err != nil {
			return nil, err
		}
		if err := e.settle(run, answer); err != nil {
			return e.farewell(ctx, run, err)
		}
		return next(ctx, run)
	}
}

// askTries is how often a configuration that changes under the question makes it
// put anew.
const askTries = 3

// ask puts the question with the limits of the configuration as this replica
// knows it. Where another one has changed it since, nothing was counted, and the
// question is put again with the limits that hold now.
func (e *Engine) ask(ctx context.Context, run *Run, checks []outbound.LimitCheck) (outbound.AdmissionAnswer, error) {
	for tries := 1; ; tries++ {
		question := outbound.AdmissionAsk{Checks: checks, Presumable: run.named.Presumable}
		if tries < askTries {
			question.Revision = run.State.Revision
		}
		run.present(&question)
		answer, err := e.Admission.Admit(ctx, question)
		if err != nil {
			return answer, fmt.Errorf("ask for admission: %w", err)
		}
		if run.State, err = e.Instance.At(ctx, answer.Revision); err != nil {
			return answer, err
		}
		if question.Revision == 0 || answer.Revision <= question.Revision {
			return answer, nil
		}
		if checks, err = e.checks(ctx, run); err != nil {
			return answer, err
		}
	}
}

// present puts what the call presents into the question, or what the parameters of
// an anonymous call name.
func (r *Run) present(question *outbound.AdmissionAsk) {
	if r.presented == nil {
		question.Session, question.Token, question.Client = r.named.Session, r.named.Token, r.named.Client
		return
	}
	switch r.presented.kind {
	case access.Person:
		question.Session = session.ID(r.presented.token.Session)
	case access.App:
		question.Token = r.presented.token.ID
	case access.Key:
		question.Key = r.presented.key
	}
}

// settle makes a caller, or a refusal, of the store's answer.
func (e *Engine) settle(run *Run, answer outbound.AdmissionAnswer) error {
	run.answer = answer
	if run.presented != nil {
		caller, err := e.caller(run, answer)
		if err != nil {
			return err
		}
		run.Caller = caller
	}
	return limited(answer.Verdicts)
}

// limited refuses a call that any limit refuses, until all of them would let it
// pass.
func limited(verdicts []limit.Verdict) error {
	refused, wait := false, time.Duration(0)
	for _, verdict := range verdicts {
		if !verdict.Allowed {
			refused, wait = true, max(wait, verdict.RetryAfter)
		}
	}
	if !refused {
		return nil
	}
	refusal := fault.New(fault.RateLimited, "too many requests: wait as Retry-After says")
	refusal.RetryAfter = wait
	return refusal
}

// checks are the limits that the call counts against; none when it must fail for
// its parameters, unless a proof is checked before that.
func (e *Engine) checks(ctx context.Context, run *Run) ([]outbound.LimitCheck, error) {
	d := run.Definition
	if d.Access.Anonymous() {
		named, err := d.Subject(ctx, run.Arguments)
		if err != nil {
			return nil, err
		}
		run.named = named
	}
	if run.presented != nil {
		run.named = command.Subject{Counted: run.presented.subject()}
	}
	if run.malformed != nil && (run.presented == nil || run.presented.token.JKT == "") {
		return nil, nil
	}
	rules := e.rules(run)
	checks := make([]outbound.LimitCheck, 0, len(rules)+1)
	for _, spec := range rules {
		if of := run.counted(spec.By); of != "" {
			checks = append(checks, outbound.LimitCheck{Key: throttle.Key(e.Blinder, d.Name, spec.By, of), Rule: spec.Rule})
		}
	}
	if run.presented != nil {
		overall := run.State.Limits(command.Overall, []limit.Spec{command.OverallLimit()})[0]
		checks = append(checks, outbound.LimitCheck{Key: throttle.Key(e.Blinder, command.Overall, limit.Token, run.named.Counted), Rule: overall.Rule})
	}
	return checks, nil
}

// rules are the command's limits in force, halved by address during a spike
// where the command asks for that.
func (e *Engine) rules(run *Run) []limit.Spec {
	rules := run.State.Limits(run.Definition.Name, run.Definition.DefaultLimits())
	if !run.Definition.SpikeGuard || !run.State.Spike.On(e.Clock.Now()) {
		return rules
	}
	return halved(rules)
}

func halved(rules []limit.Spec) []limit.Spec {
	guarded := make([]limit.Spec, len(rules))
	for i, spec := range rules {
		guarded[i] = spec.Spiked()
	}
	return guarded
}

// counted is the subject that a rule counts for this call, or "" when there is none.
func (r *Run) counted(by limit.Key) string {
	switch by {
	case limit.IP:
		return limit.Subject(r.IP)
	case limit.User:
		if r.presented != nil && r.presented.kind == access.Person {
			return r.presented.token.Subject
		}
	case limit.Token, limit.Email:
	}
	return r.named.Counted
}
