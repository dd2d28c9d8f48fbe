package social

import (
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// Refusals of a login that no account can be joined or made for.
var (
	ErrLinkFirst = fault.New(fault.Auth, "access_denied: an account with your email address already exists; sign in to it and link the provider (SOCIAL.AUTH_URL with link, AUTH.SOCIAL_LINK)")
	ErrUnvouched = fault.New(fault.Auth, "access_denied: the provider has no verified email address for you; verify one there, or sign in here and link the provider (SOCIAL.AUTH_URL with link, AUTH.SOCIAL_LINK)")
)

// Way is how a person from a provider is signed in.
type Way int

// The ways.
const (
	// Enter the account that the upstream one is linked to.
	Enter Way = iota + 1
	// Join the account that has the same address.
	Join
	// Create an account.
	Create
)

// Situation are the inputs of the decision.
type Situation struct {
	Profile Profile
	// Linked reports whether the upstream account is linked to one here.
	Linked bool
	// Found is the account here that has the upstream address, nil for none.
	Found *user.Snapshot
	// Held reports whether another upstream account of the provider is linked to it.
	Held bool
}

// Decide returns how the person is signed in (contract section 6): a profile is linked
// to an account only if the address is verified on both sides, and bound on this one.
// Superadmins link theirs while they are signed in: no provider's word opens the instance.
// They alone hold instance permissions, since no role may carry one (role.Book.Permits).
// It fails with ErrUnvouched for an unverified address whether or not it has an
// account, so that this reveals nothing, and with ErrLinkFirst.
func Decide(s Situation) (Way, error) {
	switch {
	case s.Linked:
		return Enter, nil
	case !s.Profile.Vouched():
		return 0, ErrUnvouched
	case s.Found == nil:
		return Create, nil
	case s.Found.Superadmin || !s.Found.EmailBound || s.Held || s.Found.Email.Folded() != s.Profile.Email.Folded():
		return 0, ErrLinkFirst
	default:
		return Join, nil
	}
}

// Proves reports whether linking a profile proves the account's address for the first
// time. Earlier credentials may then belong to somebody else, who registered the
// address in advance.
func (p Profile) Proves(account user.Snapshot) bool {
	return p.Vouched() && !account.EmailBound && p.Email.Folded() == account.Email.Folded()
}
