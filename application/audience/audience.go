// Package audience decides whether an app may have tokens for an audience, and what
// they carry: who has the audience is read by whoever asks.
package audience

import (
	"fmt"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
)

// Refusals to register an API.
var (
	errIssuer      = fault.Unfit("/identifier", "is the address of this service itself")
	errSuperadmins = fault.New(fault.Denied, "on this instance superadmins register audiences: ask one")
)

// Rules are those of the instance.
type Rules struct {
	Instance *instance.Current
	// Issuer is the public address of the instance, which is an audience of its own: this
	// service.
	Issuer string
}

// Target returns the audience that somebody asks for, empty for this service.
func (r *Rules) Target(asked string) string {
	if asked == r.Issuer {
		return ""
	}
	return asked
}

// Registrable fails where somebody may register no API under an identifier, whoever has
// that: the issuer is this service, and where audiences must be registered, superadmins
// do so.
func (r *Rules) Registrable(caller access.Caller, identifier string) error {
	switch {
	case identifier == r.Issuer:
		return errIssuer
	case r.Instance.State().Settings.RegisteredAudiences() && !caller.Superadmin:
		return errSuperadmins
	}
	return nil
}

// Admit decides whether an app may have tokens for a target; held is who has it, nil for
// nobody. It fails with a validation fault that begins with invalid_target and says whom
// to ask.
func (r *Rules) Admit(target string, held *resource.Audience, of app.Snapshot) error {
	if target == "" {
		return nil
	}
	state := r.Instance.State()
	registered := state.Settings.RegisteredAudiences()
	if held == nil {
		if registered {
			return resource.ErrUnregistered
		}
		return nil
	}
	if err := held.Admit(of, registered); err != nil {
		return err
	}
	if signs := state.Keys.Active().Algorithm(); held.SigningAlg != "" && string(held.SigningAlg) != signs {
		return fault.New(fault.Validation, fmt.Sprintf(
			"invalid_target: tokens for this API are to be signed with %s, and the instance signs with %s now: "+
				"change one of them with OAUTH.RESOURCE_UPDATE or JWT_KEY.ROTATE", held.SigningAlg, signs))
	}
	return nil
}
