// Package execution executes commands. The same policies run around every handler in
// the same order, one file each; they depend on the definition of a command, never on
// its name.
package execution

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
)

// Step answers a run, with the result's JSON.
type Step func(ctx context.Context, run *Run) ([]byte, error)

// Policy puts something around a step.
type Policy func(Step) Step

// Run is one execution of one command.
type Run struct {
	inbound.Request
	Definition *command.Definition
	Caller     access.Caller
	// State is the configuration that this run is decided by.
	State *instance.State
	// began are the revisions of the IP rules that admitted the call.
	began ops.IPRuleMarks
	// Arguments are the decoded parameters.
	Arguments any
	// Recorder records every event kind that was stored.
	Recorder event.Recorder
	// Replayed reports whether the answer is an earlier one.
	Replayed bool

	presented *credential
	// place is the workspace that the parameters name to act in.
	place workspace.ID
	// acting is the credential as the units of work of the call hold it; nil for none.
	acting *outbound.ActingCredential
	// named is the subject of the limits of the call and, for an anonymous one, of its
	// parameters.
	named command.Subject
	// addressed is the subject that the parameters name, also if the call has a credential.
	addressed string
	// answer is the result of the admission.
	answer outbound.AdmissionAnswer
	// malformed is the error of the parameters.
	malformed error
	// url is where the request was sent, at the public address of the service.
	url string
}

// Engine executes commands; it implements inbound.Commands.
type Engine struct {
	Registry  *command.Registry
	Instance  *instance.Current
	Access    *token.Access
	Admission outbound.Admission
	// Addresses judges where calls come from.
	Addresses *addresses.Rules
	// Flows run for commands whose declaration has a trigger.
	Flows *live.Flows
	// Books resolve the roles of callers.
	Books        *rolegrant.Books
	Transactions outbound.Transactions
	// Policies decide whether an impersonation may go on.
	Policies account.Policies
	Answers  outbound.Answers
	// AnswerSealer seals stored answers, Blinder keys their MAC and names counters.
	AnswerSealer outbound.Sealer
	Blinder      outbound.Blinder
	Clock        outbound.Clock
	Observer     outbound.Observer
	// Cursors refuses forged ones.
	Cursors page.Cursors
	// Clients authenticates clients of OAuth that call by their own credentials.
	Clients *client.Authenticator
	// Proofs checks proofs of possession, LastUses notes the use of API keys.
	Proofs   *proof.Checker
	LastUses machines.LastUses
	Logger   *slog.Logger
	// Undeclared is called for a stored event kind that is not declared by the command;
	// tests fail on it.
	Undeclared func(command string, kind event.Kind)
	// Patience is the time limit of a command; 0 means 50 seconds.
	Patience time.Duration

	chain Step
	// gate decides about a caller as chain does, and runs nothing.
	gate Step
}

// Prepare builds the chains; call it once, before the first Execute.
func (e *Engine) Prepare() {
	policies := []Policy{
		e.observe,      // times and counts everything, also what fails below
		e.timed,        // a hanging store leads to a response
		e.recoverPanic, // a panic is an INTERNAL_ERROR of one call
		e.addressed,    // who is kept out is told nothing else
		e.find,         // without a command there is nothing to decide
		e.identify,     // cheap checks of the credential, before the store is asked
		e.decode,       // what will fail for its parameters costs the store little
		e.admit,        // one round trip: limits, credential, revision
		e.prove,        // once limits bound what a proof may cost
		e.maintained,   // superadmins are known, and nothing has run yet
		e.authorize,    // before anything of the schema is shown
		e.takesDryRun,  // before an answer is kept: what takes no dry run never ran
		e.record,       // everything stored below carries who and whence
		e.stand,        // nothing below is stored once the credential has ended
		e.idempotent,   // after authorization, so that nobody replays another's answer
		e.dryRun,       // a dry run is taken back whatever happens inside
		e.decided,      // what flows need no account for, before it costs a hash
	}
	e.chain = around(e.handle, policies)
	e.gate = around(letIn, []Policy{e.recoverPanic, e.addressed, e.identify, e.admit, e.prove, e.authorize})
}

func around(step Step, policies []Policy) Step {
	for _, policy := range slices.Backward(policies) {
		step = policy(step)
	}
	return step
}

// Execute runs one command.
func (e *Engine) Execute(ctx context.Context, request inbound.Request) inbound.Reply {
	run := &Run{Request: request, url: e.Access.Issuer + request.Path}
	data, err := e.chain(outbound.WithHurry(ctx), run)
	reply := inbound.Reply{Command: request.Command, Data: data, Replayed: run.Replayed}
	if err != nil {
		reply.Data, reply.Failure = nil, e.shown(err, run)
	}
	return reply
}

// shown returns the failure as the client sees it; an internal one names the request
// and nothing else, unless it is of something outside, which is named too.
func (e *Engine) shown(err error, run *Run) *fault.Error {
	failure := fault.From(err)
	switch {
	case failure.Code != fault.Internal:
		return failure
	case failure.Public():
		return fault.Outside(failure.Message + ", request id " + run.RequestID)
	}
	return fault.New(fault.Internal, "internal error, request id "+run.RequestID)
}

// Catalog describes every command.
func (e *Engine) Catalog() []inbound.Descriptor { return e.Registry.Catalog() }

// describedWithin is how long the description of a command waits for the limits in force.
const describedWithin = 2 * time.Second

// Describe describes a command with the limits in force.
func (e *Engine) Describe(ctx context.Context, name string) (inbound.Descriptor, bool) {
	found, known := e.Registry.Find(name)
	if !known {
		return inbound.Descriptor{}, false
	}
	return found.DescribeBy(e.Instance.Latest(ctx, e.Admission, describedWithin).Limits), true
}

func (e *Engine) observe(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		began := e.Clock.Now()
		data, err := next(ctx, run)
		code := "OK"
		if err != nil {
			failure := fault.From(err)
			code = string(failure.Code)
			if failure.Code == fault.Internal {
				e.Logger.ErrorContext(ctx, "command failed", "command", run.name(), "request_id", run.RequestID, "cause", cause(failure))
			}
		}
		e.Observer.Command(ctx, run.name(), code, e.Clock.Now().Sub(began))
		return data, err
	}
}

func cause(failure *fault.Error) error {
	if inner := failure.Unwrap(); inner != nil {
		return inner
	}
	return failure
}

// name returns the name of an existing command, or "", so that invented names do not
// become metrics.
func (r *Run) name() string {
	if r.Definition == nil {
		return ""
	}
	return r.Definition.Name
}

func (e *Engine) find(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if run.Refused != nil {
			return nil, e.faulty(ctx, run, run.Refused)
		}
		found, ok := e.Registry.Find(run.Command)
		if !ok {
			return nil, e.faulty(ctx, run, e.Registry.Unknown(run.Command))
		}
		run.Definition = found
		return next(ctx, run)
	}
}

func (e *Engine) authorize(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if err := run.Definition.Access.Check(run.Caller); err != nil {
			return nil, err
		}
		if run.recent() {
			if err := access.CheckRecent(run.Caller, e.Clock.Now()); err != nil {
				return nil, err
			}
		}
		if run.changes() && run.Caller.ReadOnly {
			return nil, access.ErrReadOnly
		}
		if run.malformed != nil {
			return nil, run.malformed
		}
		return next(ctx, run)
	}
}

// changes reports whether the call may change anything but that its own credential ends.
func (r *Run) changes() bool {
	ends := r.malformed == nil && r.Definition.EndsOwn(r.Caller, r.Arguments)
	return r.Definition.Effect != command.Reads && !ends
}

// recent reports whether the call needs a recent proof of presence of its session.
func (r *Run) recent() bool { return r.Definition.Recent(r.Arguments) }

func (e *Engine) handle(ctx context.Context, run *Run) ([]byte, error) {
	ctx = outbound.WithReading(ctx, run.Definition.Effect == command.Reads)
	result, err := run.Definition.Handle(ctx, e.call(run), run.Arguments)
	e.compare(run)
	if err != nil {
		return nil, err
	}
	return run.encode(result)
}

func (e *Engine) call(r *Run) command.Call {
	call := command.Call{
		Caller: r.Caller, IP: r.address(), UserAgent: r.UserAgent, RequestID: r.RequestID,
		DryRun: r.DryRun, Proof: r.DPoP, Method: r.Method, URL: r.url, Browser: r.Browser, ClientMethod: app.AuthMethod(r.ClientMethod),
		Enter: e.enter(r), Revision: r.State.Revision,
	}
	if r.presented == nil {
		call.Session, call.Token, call.Client = r.answer.Identity, r.answer.Token, r.answer.Client
	}
	if call.Client == nil && r.named.Client != "" {
		call.Client = &outbound.Client{}
	}
	if r.named.Deferred {
		call.Count = e.deferred(r)
	}
	return call
}

func (r *Run) address() string {
	if !r.IP.IsValid() {
		return ""
	}
	return r.IP.String()
}
