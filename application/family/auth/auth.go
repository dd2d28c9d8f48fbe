// Package auth implements the family AUTH: registration, login, token refresh and
// logout.
package auth

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/factor"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/passwordless"
	"gatehouse.internal/application/signin/recovery"
	"gatehouse.internal/application/signin/ticket"
	"gatehouse.internal/application/token"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	login.Repos
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Factors   *factor.Service
	Passwords account.Passwords
	Rotations people.Rotations
	Access    *token.Access
	Refresh   *token.Refresh
	Instance  *instance.Current
	Clock     outbound.Clock
	IDs       outbound.IDs
	// Recovery, Passwordless and Tickets are links and codes by mail, and so is Inviting.
	Recovery     *recovery.Service
	Passwordless *passwordless.Service
	Tickets      *ticket.Service
	Inviting     *invitations.Service
	Providers    account.Providers
	// Linked are social accounts.
	Linked Linked
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.signup(),
		s.login(),
		s.refresh(),
		s.logout(),
		s.whoami(),
		s.checkPassword(),
		s.forgotPassword(),
		s.resetPassword(),
		s.verifyEmail(),
		s.resendVerification(),
		s.passwordlessStart(),
		s.passwordlessVerify(),
		s.ticketGet(),
		s.methodList(),
		s.mfaSetupTOTP(),
		s.mfaSetupEmail(),
		s.mfaSendCode(),
		s.mfaVerify(),
		s.reauthenticate(),
		s.socialLinked(),
		s.socialUnlink(),
		s.socialLink(),
	}
}
