package apps

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
)

// givable fails with PERMISSION_DENIED when the caller would give an app more than
// they hold.
func givable(caller access.Caller, scopes []string) error {
	if scope := caller.Beyond(scopes); scope != "" {
		return fault.New(fault.Denied, "you do not hold the scope "+scope+", so you cannot grant it to an app")
	}
	return nil
}

// impersonable fails with PERMISSION_DENIED when the app holds more than the
// caller: who gives an app a credential can act as the app. Who holds its registration access
// token is the app.
func impersonable(caller access.Caller, a *app.App) error {
	if caller.Only == a.ID() {
		return nil
	}
	if scope := caller.Beyond(a.Snapshot().Scopes); scope != "" {
		return fault.New(fault.Denied, "the app has the scope "+scope+", which you do not hold, so you cannot give it a new credential")
	}
	return nil
}
