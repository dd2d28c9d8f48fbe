// Package command defines declarations of commands: name, access rule, limits, effects,
// and the handler. Parameters and results are structs, from which their JSON Schemas
// derive. Type parameters are erased by Define.
package command

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Effect is the kind of effects of a command.
type Effect string

// The effects of commands.
const (
	// Reads changes nothing.
	Reads Effect = "none"
	// Writes changes the store alone: a dry run takes it back.
	Writes Effect = "store"
	// Outside reaches beyond the store, so a dry run is refused.
	Outside Effect = "outside"
)

// Call describes the caller and the request of one execution.
type Call struct {
	Caller access.Caller
	// Session is the one that the parameters of an anonymous call name, as it was
	// read with its admission; nil when they name none, or it is gone.
	Session *outbound.Identity
	// Token is the M2M token that they name, likewise.
	Token *outbound.TokenIdentity
	// Client is the app named by the parameters; without an identifier if there is
	// none, so that it is not looked up again, which would reveal that by timing.
	Client *outbound.Client
	// Count counts a call whose Subject is Deferred, once it is known whether the
	// client is authentic. It fails if a limit is exceeded.
	Count func(ctx context.Context, proven bool) error
	// Enter fails if a workspace denies the address of the call. Commands that issue
	// tokens for a workspace must call it after authentication.
	Enter func(ctx context.Context, org workspace.ID) error
	// Revision is the revision of the configuration that the call is decided by.
	Revision int64
	// DryRun reports whether everything is taken back. A handler that reaches beyond the
	// store leaves that out.
	DryRun    bool
	IP        string
	UserAgent string
	RequestID string
	// ClientMethod is how a client authenticated at the token endpoint; empty for calls
	// of commands.
	ClientMethod app.AuthMethod
	// Proof is the DPoP header, or ""; Method and URL are the request it must match
	// (RFC 9449 section 4.3).
	Proof, Method, URL string
	// Browser is the browser-binding value: a login begun in one browser must be
	// completed in it. Empty for API callers.
	Browser string
}

// Subject is what the parameters of an anonymous call identify.
type Subject struct {
	// Counted is the key of limits by token, email or user.
	Counted string
	// Session, Token, the jti of an M2M token, or Client, the client_id of an app, is
	// read with the admission; one of them at most.
	Session session.ID
	Token   string
	Client  string
	// Wants is the token requested by the client, if any; the owner of its audience is
	// read with the client. If the client is Recalled, the handler must read it again
	// before it refuses.
	Wants *outbound.TokenRequest
	// Proven reports whether the client found is authentic: then the call is counted by
	// Counted, else by Counted together with the address, so that others cannot use up
	// a client's limits. It is called before the handler, possibly several times. If it
	// is nil, calls are counted by Counted.
	Proven func(found *outbound.Client) bool
	// Deferred, instead of Proven, reports whether only the handler can authenticate
	// the client: it must call Call.Count.
	Deferred bool
}

// None is the parameters of a command that takes none.
type None struct{}

// Spec declares a command with parameters P and result R.
type Spec[P, R any] struct {
	// Name is FAMILY.ACTION.
	Name string
	// Summary says what the command does: an imperative sentence of at most 100 characters.
	Summary string
	// Description says what a caller has to know beyond the summary, in short paragraphs or
	// bullets of Markdown: side effects, limits, related commands. It is optional.
	Description string
	Access      access.Rule
	Effect      Effect
	// Limits are the default rate limits beyond those that hold for every command.
	Limits []limit.Spec
	// SpikeGuard halves the limit by address while far more logins fail than usual.
	SpikeGuard bool
	// Guarded reports whether the command compares a secret of the caller with a stored
	// one. What it stores on refusal, such as a failure that counts towards a lock, is
	// kept even in a dry run.
	Guarded bool
	// Subject returns the subject of an anonymous call. If it fails, the call is
	// refused before the store is accessed.
	Subject func(context.Context, P) (Subject, error)
	// EndsOwn reports whether a call ends the session or API key that it is made by.
	// Repeated under its Idempotency-Key it is answered again, though that has ended.
	EndsOwn func(caller access.Caller, params P) bool
	// Recent restricts the required recent login to calls for which it returns true;
	// nil for all.
	Recent func(params P) bool
	// InWorkspace reports whether the command acts in a workspace although its Access
	// requires no permission there: then, as with a permission, org_id beside params
	// selects another workspace than the active one.
	InWorkspace bool
	// AboutWorkspace reports whether org_id is a parameter of the command itself, which
	// acts in the active workspace only.
	AboutWorkspace bool
	// WhileSuspended reports whether people may call the command in a suspended
	// workspace.
	WhileSuspended bool
	// Through is the strictest mode of maintenance in which the command works for everybody,
	// although it changes something: that of what signs in and out.
	Through maintenance.Mode
	// Withdraws reports whether the command does nothing but take access away. Then it
	// works in read-only maintenance, so that nobody waits for that to shut somebody out.
	Withdraws bool
	// Withdrawing restricts Withdraws to calls for which it returns true; nil for all.
	Withdrawing func(params P) bool
	// Trigger is the trigger of flows that decide about the command; empty for none.
	Trigger flow.Trigger
	// Decided restricts the decision of flows to calls for which it returns true; nil for all.
	Decided func(params P) bool
	// Quiet leaves all decisions of flows to the handler: the response does not show them.
	Quiet bool
	// Emits are all kinds of events that the command may store.
	Emits  []event.Kind
	Handle func(ctx context.Context, call Call, params P) (R, error)
}

// Definition is a declared command with its types erased.
type Definition struct {
	Name    string
	Family  string
	Summary string
	// Description is Markdown, or empty.
	Description string
	Access      access.Rule
	Effect      Effect
	Limits      []limit.Spec
	Emits       []event.Kind
	Params      *schema.Schema
	Result      *schema.Schema
	// SpikeGuard is that of the spec.
	SpikeGuard bool
	// Guarded is that of the spec.
	Guarded bool
	// InWorkspace reports whether org_id names the workspace that a call acts in.
	InWorkspace bool
	// WhileSuspended is that of the spec.
	WhileSuspended bool
	// Through is that of the spec.
	Through maintenance.Mode
	// Withdraws is that of the spec.
	Withdraws bool
	// Trigger and Quiet are those of the spec.
	Trigger flow.Trigger
	Quiet   bool

	decode  func(raw []byte) (any, error)
	subject func(ctx context.Context, params any) (Subject, error)
	endsOwn func(caller access.Caller, params any) bool
	recent  func(params any) bool
	decided func(params any) bool
	// withdrawing is that of the spec.
	withdrawing func(params any) bool
	handle      func(ctx context.Context, call Call, params any) (any, error)
	flaw        error
}

// Define erases the types of a spec. A malformed declaration is reported by
// NewRegistry. Schemas are derived on first use; errors in them are reported by
// Registry.Check.
func Define[P, R any](spec Spec[P, R]) Definition {
	family, _, _ := strings.Cut(spec.Name, ".")
	d := Definition{
		Name: spec.Name, Family: family, Summary: spec.Summary, Description: spec.Description, Access: spec.Access,
		Effect: spec.Effect, Limits: spec.Limits, Emits: spec.Emits, SpikeGuard: spec.SpikeGuard, Guarded: spec.Guarded,
		InWorkspace: spec.InWorkspace || inWorkspace(spec.Access) && !spec.AboutWorkspace, WhileSuspended: spec.WhileSuspended, Through: spec.Through,
		Withdraws: spec.Withdraws,
		Trigger:   spec.Trigger, Quiet: spec.Quiet,
		Result: schema.Of(reflect.TypeFor[R]()), flaw: spec.check(),
	}
	decode := strictjson.Decode
	if d.place(reflect.TypeFor[P]()) {
		decode = strictjson.DecodeBeside
	}
	d.decode = func(raw []byte) (any, error) {
		var params P
		err := decode(raw, &params)
		return params, err
	}
	if spec.Subject != nil {
		d.subject = func(ctx context.Context, params any) (Subject, error) {
			return spec.Subject(ctx, params.(P)) //nolint:forcetypeassert // decode made it
		}
	}
	if spec.EndsOwn != nil {
		d.endsOwn = func(caller access.Caller, params any) bool {
			return spec.EndsOwn(caller, params.(P)) //nolint:forcetypeassert // decode made it
		}
	}
	if spec.Recent != nil {
		d.recent = func(params any) bool {
			return spec.Recent(params.(P)) //nolint:forcetypeassert // decode made it
		}
	}
	if spec.Decided != nil {
		d.decided = func(params any) bool {
			return spec.Decided(params.(P)) //nolint:forcetypeassert // decode made it
		}
	}
	if spec.Withdrawing != nil {
		d.withdrawing = func(params any) bool {
			return spec.Withdrawing(params.(P)) //nolint:forcetypeassert // decode made it
		}
	}
	d.handle = func(ctx context.Context, call Call, params any) (any, error) {
		return spec.Handle(ctx, call, params.(P)) //nolint:forcetypeassert // decode made it
	}
	return d
}

var namePattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]*\.[A-Z][A-Z0-9_]*$`)

func (s Spec[P, R]) check() error {
	switch {
	case !namePattern.MatchString(s.Name):
		return fmt.Errorf("the name %q is not FAMILY.ACTION", s.Name)
	case !strings.HasSuffix(s.Summary, "."):
		return fmt.Errorf("%s: the summary is not a sentence", s.Name)
	case s.Effect != Reads && s.Effect != Writes && s.Effect != Outside:
		return fmt.Errorf("%s: no effect is declared", s.Name)
	case s.Effect == Reads && len(s.Emits) > 0:
		return fmt.Errorf("%s: emits events but reads only", s.Name)
	case s.Handle == nil:
		return fmt.Errorf("%s: no handler", s.Name)
	case s.Withdraws && s.Effect == Reads, s.Withdrawing != nil && !s.Withdraws:
		return fmt.Errorf("%s: withdraws nothing", s.Name)
	case s.Recent != nil && !s.Access.AsksRecent():
		return fmt.Errorf("%s: narrows a rule that asks for no recent login", s.Name)
	case s.Effect != Reads && s.Access.WantsScope():
		return fmt.Errorf("%s: writes for API keys or M2M tokens, but names no scope that they need", s.Name)
	case s.Access.AsksRecent() && (!s.Access.Honors() || s.Access.Fits(access.Person) != nil):
		return fmt.Errorf("%s: asks for a recent login, but takes no session", s.Name)
	}
	for _, rule := range s.Limits {
		if err := rule.Rule.Validate(); err != nil {
			return fmt.Errorf("%s: limit by %s: %w", s.Name, rule.By, err)
		}
		if rule.By != limit.IP && s.Access.Anonymous() && s.Subject == nil {
			return fmt.Errorf("%s: a limit by %s needs a subject", s.Name, rule.By)
		}
	}
	return nil
}

// Decode decodes parameters that conform to the schema. It fails with a validation
// fault if a value object rejects a value.
func (d Definition) Decode(raw []byte) (any, error) { return d.decode(raw) }

// Subject returns the subject of an anonymous call.
func (d Definition) Subject(ctx context.Context, params any) (Subject, error) {
	if d.subject == nil {
		return Subject{}, nil
	}
	return d.subject(ctx, params)
}

// Recent reports whether a session needs a recent proof of presence for a call with
// these parameters, which are nil when they are malformed.
func (d Definition) Recent(params any) bool {
	if d.recent == nil || !d.Access.AsksRecent() {
		return d.Access.AsksRecent()
	}
	return params != nil && d.recent(params)
}

// Decided reports whether flows decide about a call with these parameters.
func (d Definition) Decided(params any) bool {
	return d.Trigger != "" && (d.decided == nil || d.decided(params))
}

// Works reports whether a call with these parameters, which are nil when they are
// malformed, works for everybody in a mode of maintenance. In read-only mode that is what
// reads, and what takes access away; in closed mode what anybody may read. What signs in
// and out declares the modes itself.
func (d Definition) Works(mode maintenance.Mode, params any) bool {
	reads := d.Effect == Reads
	switch mode {
	case maintenance.ReadOnly:
		return reads || d.Through != "" || d.withdraws(params)
	case maintenance.Closed:
		return reads && d.Access.Anonymous() || d.Through == maintenance.Closed
	default:
		return true
	}
}

// withdraws reports whether a call does nothing but take access away.
func (d Definition) withdraws(params any) bool {
	return d.Withdraws && (d.withdrawing == nil || params != nil && d.withdrawing(params))
}

// Parting reports whether calls of the command may end the session or API key that they
// are made by.
func (d Definition) Parting() bool { return d.endsOwn != nil }

// EndsOwn reports whether a call ends the session or API key that it is made by.
func (d Definition) EndsOwn(caller access.Caller, params any) bool {
	return d.endsOwn != nil && d.endsOwn(caller, params)
}

// Handle runs the command with decoded parameters.
func (d Definition) Handle(ctx context.Context, call Call, params any) (any, error) {
	return d.handle(ctx, call, params)
}
