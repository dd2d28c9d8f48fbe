package execution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// admit reads the session of the credential, the limits of the call, and the revision
// of the configuration from the store, in one round trip shared by concurrent requests.
func (e *Engine) admit(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		run.State = e.Instance.State()
		if err := e.readdressed(ctx, run); err != nil {
			return nil, err
		}
		question, err := e.question(ctx, run)
		if err != nil {
			return nil, e.faulty(ctx, run, err)
		}
		renew := func() (outbound.AdmissionAsk, error) { return e.question(ctx, run) }
		if !run.DryRun { // which stores nothing that stays
			question.Again = e.again(run, renew)
		}
		answer, err := e.ask(ctx, run, question, renew)
		if err != nil {
			return nil, err
		}
		if err := e.resolve(ctx, run, answer); err != nil {
			return e.replayEnded(ctx, run, err)
		}
		if answer.Pending == nil {
			return next(ctx, run)
		}
		data, err := next(answer.Pending.Under(ctx), run)
		if refused := answer.Pending.Admit(ctx); refused != nil {
			return nil, refused
		}
		return data, err
	}
}

// again admits a call that was answered from memory.
func (e *Engine) again(
	run *Run, renew func() (outbound.AdmissionAsk, error),
) func(context.Context) (outbound.AdmissionAnswer, error) {
	return func(ctx context.Context) (outbound.AdmissionAnswer, error) {
		question, err := renew()
		if err != nil {
			return outbound.AdmissionAnswer{}, err
		}
		answer, err := e.ask(ctx, run, question, renew)
		if err != nil {
			return answer, err
		}
		return answer, limited(answer.Verdicts)
	}
}

// askTries is how often a configuration that changes under the question makes it
// put anew.
const askTries = 3

// ask asks the store with the limits known to this replica. If another replica has
// changed the configuration, nothing was counted, and it asks again with the current
// limits.
func (e *Engine) ask(
	ctx context.Context, run *Run, question outbound.AdmissionAsk, again func() (outbound.AdmissionAsk, error),
) (outbound.AdmissionAnswer, error) {
	for tries := 1; ; tries++ {
		question.Revision = 0
		if tries < askTries {
			question.Revision = run.State.Revision
		}
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
		if question, err = again(); err != nil {
			return answer, err
		}
	}
}

// tokened reports whether the call has a token or an API key, which the store verifies
// by itself. Subjects of anonymous calls and clients must be proved separately.
func (r *Run) tokened() bool { return r.presented != nil && r.presented.client == nil }

// present adds the credential of the call, or the subject of an anonymous call or
// client, to the question.
func (r *Run) present(question *outbound.AdmissionAsk) {
	if !r.tokened() {
		question.Session, question.Token, question.Client = r.named.Session, r.named.Token, r.named.Client
		question.Wants = r.named.Wants
		return
	}
	switch r.presented.kind {
	case access.Person, access.Impersonated:
		question.Session, question.Factors = session.ID(r.presented.token.Session), r.recent() || r.Definition.Access.WeighsPresence()
		if r.visits() {
			question.Org = r.place
		}
	case access.App:
		question.Token = r.presented.token.ID
	case access.Delegated:
		question.Grant = oauth.GrantID(r.presented.token.Grant)
	case access.Key:
		question.Key = r.presented.key
	}
}

// resolve makes a caller, or a refusal, of the store's answer.
func (e *Engine) resolve(ctx context.Context, run *Run, answer outbound.AdmissionAnswer) error {
	run.answer = answer
	if err := e.readdressed(ctx, run); err != nil {
		return err
	}
	if run.presented != nil {
		caller, err := e.caller(ctx, run, answer)
		if refused := limited(answer.Verdicts); refused != nil && run.guessed(answer) {
			return refused
		}
		if err != nil {
			return err
		}
		if err := e.situated(ctx, run, caller); err != nil {
			return err
		}
		run.Caller = caller
	}
	return limited(answer.Verdicts)
}

// guessed reports whether the credential may be a mere guess: guesses beyond a limit
// get no other response.
func (r *Run) guessed(answer outbound.AdmissionAnswer) bool {
	return r.presented.client != nil || r.presented.kind == access.Key && answer.Key == nil
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
	refusal := fault.New(fault.RateLimited, "too many requests: wait until the time in Retry-After has passed")
	refusal.RetryAfter = wait
	return refusal
}

// question returns the question to the store, with the limits of the call; without
// limits if the parameters are invalid, unless a proof is checked before them.
func (e *Engine) question(ctx context.Context, run *Run) (outbound.AdmissionAsk, error) {
	if run.Definition.Access.Anonymous() {
		named, err := run.Definition.Subject(ctx, run.Arguments)
		if err != nil {
			return outbound.AdmissionAsk{}, err
		}
		run.named, run.addressed = named, named.Counted
	}
	switch by := run.presented; {
	case by == nil:
	case by.client != nil:
		named, err := e.Clients.Subject(*by.client)
		if err != nil {
			return outbound.AdmissionAsk{}, err
		}
		run.named = named
	default:
		run.named = command.Subject{Counted: by.subject()}
	}
	var question outbound.AdmissionAsk
	run.present(&question)
	e.limit(run, &question)
	if run.malformed != nil && (run.presented == nil || run.presented.token.JKT == "") {
		question.Checks = nil
	}
	return question, nil
}

// limit puts the limits of the call into the question.
func (e *Engine) limit(run *Run, question *outbound.AdmissionAsk) {
	byAddress, byName := e.checks(run)
	question.Checks = slices.Concat(byAddress, byName)
	switch proven := run.named.Proven; {
	case run.tokened():
		question.Checks = append(question.Checks, outbound.LimitCheck{
			Key: throttle.Key(e.Blinder, command.Overall, limit.Token, run.named.Counted), Rule: e.overall(run, limit.Token),
		})
		if run.presented.kind == access.Key {
			question.Failed = []outbound.LimitCheck{e.faultyCheck(run)}
		}
	case run.named.Deferred:
		question.Checks = byAddress
	case proven != nil:
		question.Failed = append(byAddress, e.failures(run)...)
		question.Proven = func(answer outbound.AdmissionAnswer) bool { return proven(answer.Client) }
	}
}

// checks returns the limits of the command by address, and those by credential or
// subject.
func (e *Engine) checks(run *Run) (byAddress, byName []outbound.LimitCheck) {
	for _, spec := range e.rules(run) {
		of := run.counted(spec.By)
		check := outbound.LimitCheck{Key: throttle.Key(e.Blinder, run.Definition.Name, spec.By, of), Rule: spec.Rule}
		switch {
		case of == "":
		case spec.By == limit.IP:
			byAddress = append(byAddress, check)
		default:
			byName = append(byName, check)
		}
	}
	return byAddress, byName
}

// overall returns a limit over all commands, as it is in force: that of a token, or, by address,
// that of faulty calls.
func (e *Engine) overall(run *Run, by limit.Key) limit.Rule {
	inForce := run.State.Limits(command.Overall, command.OverallLimits())
	return inForce[slices.IndexFunc(inForce, func(s limit.Spec) bool { return s.By == by })].Rule
}

// rules returns the current limits of the command; during a spike of failed logins
// those by address are halved for commands that opt in.
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

// counted returns the subject that a rule counts for this call, or "" when there is none.
func (r *Run) counted(by limit.Key) string {
	switch by {
	case limit.IP:
		return limit.Subject(r.IP)
	case limit.User:
		if r.presented != nil && r.presented.kind == access.Person {
			return r.presented.token.Subject
		}
	case limit.All:
		return string(limit.All)
	case limit.Email:
		return r.addressed
	case limit.Token:
	}
	return r.named.Counted
}
