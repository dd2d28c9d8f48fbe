package apps

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
)

// beyond names the first scope that is a permission of this service and is not the
// caller's to give; "" when there is none. Those that reach across workspaces are
// for superadmins alone.
func beyond(caller access.Caller, scopes []string) string {
	for _, scope := range scopes {
		if !caller.Superadmin && access.IsOwn(scope) && (access.IsInstance(scope) || !caller.May(scope)) {
			return scope
		}
	}
	return ""
}

// givable fails with PERMISSION_DENIED when the caller would give an app more than
// they hold.
func givable(caller access.Caller, scopes []string) error {
	if scope := beyond(caller, scopes); scope != "" {
		return fault.New(fault.Denied, "you do not hold the scope "+scope+", so you cannot give it to an app")
	}
	return nil
}

// impersonable fails with PERMISSION_DENIED when the app holds more than the
// caller: who gives an app a credential can act as the app.
func impersonable(caller access.Caller, a *app.App) error {
	if scope := beyond(caller, a.Snapshot().Scopes); scope != "" {
		return fault.New(fault.Denied, "the app holds the scope "+scope+", which you do not hold, so you cannot give it a new credential")
	}
	return nil
}
