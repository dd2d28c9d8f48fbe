package execution

import (
	"context"
	"slices"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Errors of a workspace whose policies the session does not meet.
var (
	errOtherWay  = fault.New(fault.Auth, "the workspace does not let in who signed in as this session did: sign in by a way that it allows, or see TEAM.SWITCH")
	errNotPassed = fault.New(fault.Auth, "the workspace asks for a second factor which this session has not given: call TEAM.SWITCH")
)

// visits reports whether the call acts in a workspace other than the active one.
func (r *Run) visits() bool {
	return r.place != "" && r.presented != nil && r.presented.kind.InSession() && r.place.String() != r.presented.token.Org
}

// visited returns the caller in the workspace that a session visits, if the person is a member
// of it and meets its policies. A workspace that does not exist and one that they are not a
// member of are refused alike.
func (e *Engine) visited(ctx context.Context, run *Run, behind *outbound.Identity) (workspace.ID, error) {
	to, amr := behind.Visit, behind.Session.AMR
	switch {
	case run.visits() && (to == nil || !to.Member && !behind.User.Superadmin):
		return "", workspace.ErrNotFound
	case run.halted(behind) && !run.Definition.Access.Anonymous():
		return "", workspace.ErrSuspended
	case !run.visits():
		return behind.Session.OrgID, nil
	}
	if to.Entry.Admit(workspace.MethodOf(amr)) != nil {
		return "", errOtherWay
	}
	if !run.State.WorkspacePolicies || slices.Contains(amr, session.ByFactors) {
		return run.place, nil
	}
	rules, err := e.Policies.OfOrg(ctx, run.place)
	if err == nil && rules.MFA.Required {
		err = errNotPassed
	}
	return run.place, err
}

// halted reports whether the suspension of the workspace stops the call. It stops calls
// that act in the workspace, but not those on the person's account, nor switching to
// another workspace. Commands open to anybody run as for an anonymous caller.
func (r *Run) halted(behind *outbound.Identity) bool {
	return r.suspends(behind) && r.Definition.InWorkspace
}

// suspends reports whether a suspension removes the person's permissions in the
// workspace.
func (r *Run) suspends(behind *outbound.Identity) bool {
	return behind.Suspended && !r.Definition.WhileSuspended && !behind.User.Superadmin
}

// confined refuses an API key or an app that names a workspace other than its own.
func confined(run *Run, caller access.Caller) error {
	if run.place != "" && !caller.Kind.InSession() && run.place != caller.Org {
		return workspace.ErrNotFound
	}
	return nil
}
