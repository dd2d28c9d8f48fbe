// Package factors implements the family MFA: second factors, recovery codes, and the
// help of administrators for people who lost theirs.
package factors

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// manage is the permission to administer other people's accounts.
const manage = account.Manage

// Errors of administrators.
var (
	// errOneself keeps them from going around their own second factor.
	errOneself = fault.Unfit("/user_id", "must not be your own account: use MFA.DELETE for your own second factors")
	errNothing = fault.Invalid("/user_id", "this account has no second factor to bypass")
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	account.AccessRepos

	Factors signin.SecondFactors
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory signin.FactorDirectory
	Users     people.UserDirectory
	Policies  account.Policies
	Clock     outbound.Clock
	Random    outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.delete(),
		s.regenerate(),
		s.reset(),
		s.createBypass(),
	}
}

// managed reads an account, and its factors, for an administrator who is somebody
// else. It fails with errOneself, user.ErrNotFound or account.ErrShielded.
func (s *Service) managed(ctx context.Context, tx Repos, caller access.Caller, id user.ID) (*user.User, *mfa.Factors, error) {
	if id == caller.User {
		return nil, nil, errOneself
	}
	u, err := account.Managed(ctx, tx.Users, caller, id)
	if err != nil {
		return nil, nil, err
	}
	held, err := tx.Factors.ByUser(ctx, id)
	return u, held, err
}
