package account

import (
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
)

// ErrClosed refuses a new account where public registration is switched off.
var ErrClosed = fault.New(fault.Denied, "public registration is switched off")

// MayRegister reports whether somebody may make an account of an address by
// themselves, by whatever way in: it fails with ErrClosed or policy.ErrDomain.
func MayRegister(state *instance.State, address email.Address) error {
	if !state.Settings.PublicRegistration {
		return ErrClosed
	}
	return state.Policies.Signup.Admit(address)
}
