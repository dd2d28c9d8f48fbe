package invitations

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/secret"
)

// Register checks whether a person may create an account with an address, and returns
// the address to store. An invitation permits its own address while registration is
// closed; restrictions of domains apply to guests as well. It fails like
// account.MayRegister and Check, and with invitation.ErrOther.
func (s *Service) Register(ctx context.Context, state *instance.State, address email.Address, token secret.String) (email.Address, error) {
	if token.Empty() {
		return address, account.MayRegister(state, address)
	}
	found, err := s.Check(ctx, Digest(token))
	switch {
	case err != nil:
		return email.Address{}, err
	case found.Email.Folded() != address.Folded():
		return email.Address{}, invitation.ErrOther
	}
	return found.Email, state.Policies.Signup.Admit(found.Email)
}
