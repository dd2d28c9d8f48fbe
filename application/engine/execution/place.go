package execution

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// addressed refuses whatever is called from an address that the instance denies, before
// anything else of the call is looked at. Who is refused by rules that this replica has
// known for a while is refused once it has asked for later ones.
func (e *Engine) addressed(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		run.State = e.Instance.State()
		run.began = run.State.IPRules
		if err := e.admitFrom(ctx, run.IP); err != nil {
			return nil, err
		}
		return next(ctx, run)
	}
}

// admitFrom judges an address by the rules of the instance.
func (e *Engine) admitFrom(ctx context.Context, from netip.Addr) error {
	if e.Addresses.Admit(ctx, from) == nil {
		return nil
	}
	if err := e.refresh(ctx); err != nil {
		return err
	}
	return e.Addresses.Admit(ctx, from)
}

// askWithin bounds how long a request that is not a command waits for the current rules; after
// that, the rules that this replica knows apply.
const askWithin = 2 * time.Second

// Admit implements inbound.Door. It asks for the current rules itself, because such requests
// read nothing else from the store.
func (e *Engine) Admit(ctx context.Context, from netip.Addr) *fault.Error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if err := e.refresh(ctx); err != nil {
		e.Logger.WarnContext(ctx, "checking an IP address against cached rules", "cause", err)
	}
	if err := e.Addresses.Admit(ctx, from); err != nil {
		return fault.From(err)
	}
	return nil
}

// readdressed judges the address again if the configuration has changed since the call began.
func (e *Engine) readdressed(ctx context.Context, run *Run) error {
	if run.State.IPRules == run.began {
		return nil
	}
	run.began = run.State.IPRules
	return e.Addresses.Admit(ctx, run.IP)
}

// situated refuses calls in a workspace other than the credential's, or from an address
// that the workspace denies, for any credential, except calls that lead a person out of
// the workspace.
func (e *Engine) situated(ctx context.Context, run *Run, caller access.Caller) error {
	if err := confined(run, caller); err != nil {
		return err
	}
	if caller.Kind.InSession() && run.Definition.Access.TakesAnywhere() {
		return nil
	}
	return e.Addresses.AdmitTo(ctx, caller.Org, run.IP)
}

// enter is Call.Enter.
func (e *Engine) enter(run *Run) func(ctx context.Context, org workspace.ID) error {
	return func(ctx context.Context, org workspace.ID) error { return e.Addresses.AdmitTo(ctx, org, run.IP) }
}
