package execution

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// visits reports whether the call acts in a workspace other than the active one.
func (r *Run) visits() bool {
	return r.place != "" && r.presented != nil && r.presented.kind.InSession() && r.place.String() != r.presented.token.Org
}

// visited returns the workspace that a session acts in. Another one than the active one is
// visited by members whose session meets its sign-in rules, and by superadmins, who can change
// these rules. A workspace that does not exist and one that the person is not a member of are
// refused alike.
func (r *Run) visited(behind *outbound.Identity) (workspace.ID, error) {
	to := behind.Visit
	switch {
	case r.visits() && (to == nil || !to.Member && !behind.User.Superadmin):
		return "", workspace.ErrNotFound
	case r.halted(behind) && !r.Definition.Access.Anonymous():
		return "", workspace.ErrSuspended
	case !r.visits():
		return behind.Session.OrgID, nil
	case !behind.User.Superadmin && !behind.Session.Meets(r.place, behind.Rules):
		return "", session.ErrRules
	}
	return r.place, nil
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
