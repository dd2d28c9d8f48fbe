package inviting

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/secret"
)

// Register reports whether somebody may make an account of an address by themselves, and
// returns the address as it is to be stored. An invitation lets its own address in while
// public registration is off; the domains that may register hold for guests as well. It
// fails as account.MayRegister and Check do, and with invitation.ErrOther.
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
