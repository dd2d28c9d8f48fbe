// Package auth is the family AUTH: signing up, logging in, staying and leaving.
package auth

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/factor"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/application/login"
	"gatehouse.internal/application/passwordless"
	"gatehouse.internal/application/recovery"
	"gatehouse.internal/application/ticket"
	"gatehouse.internal/application/token"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	login.Repos
}

// Service holds what the family's commands need.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Factors   *factor.Service
	Passwords account.Passwords
	Rotations outbound.Rotations
	Access    *token.Access
	Refresh   *token.Refresh
	Instance  *instance.Current
	Clock     outbound.Clock
	IDs       outbound.IDs
	// Recovery, Passwordless and Tickets are links and codes by mail.
	Recovery     *recovery.Service
	Passwordless *passwordless.Service
	Tickets      *ticket.Service
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
