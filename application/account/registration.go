package account

import (
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
)

// ErrClosed is returned for a new account where public registration is switched off.
var ErrClosed = fault.New(fault.Denied, "public registration is disabled: ask an administrator for an invitation")

// MayRegister checks whether self-registration with an address is allowed. It fails
// with ErrClosed or policy.ErrDomain.
func MayRegister(state *instance.State, address email.Address) error {
	if !state.Settings.PublicRegistration {
		return ErrClosed
	}
	return state.Policies.Signup.Admit(address)
}
