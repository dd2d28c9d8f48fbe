// Package login is the one way into a session: whatever proved the person's
// identity, disabled accounts, second factors, remembered devices, what is
// required first, and the session's own rules stand here once, and nowhere else
// (specification section 4.5).
package login

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// ErrRefused is the one answer to every login by password that fails, whatever the
// reason, so that it tells nothing about the account.
var ErrRefused = fault.New(fault.Auth, "wrong e-mail address or password")

// ByPassword is the authentication method of a password (RFC 8176).
const ByPassword = "pwd"

// Repos is what a login stores.
type Repos struct {
	Users       outbound.Users
	Credentials outbound.Credentials
	Workspaces  outbound.Workspaces
	Entrants    outbound.Entrants
	Belonging   outbound.UserWorkspaces
	Sessions    outbound.Sessions
	Events      outbound.Events
	Failures    outbound.LoginFailures
	Challenges  outbound.Challenges
	Factors     outbound.SecondFactors
	Devices     outbound.Devices
	Clients     outbound.KnownClients
	Notices     outbound.Notices
	Mails       outbound.Mails
	WaysIn      outbound.WaysIn

	Identities   outbound.Identities
	SocialSetups outbound.SocialSetups
}

// Service logs people in.
type Service struct {
	Accounts  outbound.Accounts
	Unit      outbound.Unit[Repos]
	Passwords outbound.Passwords
	Policies  account.Policies
	Instance  *instance.Current
	Arrivals  Arrivals
	Access    *token.Access
	Refresh   *token.Refresh
	Clock     outbound.Clock
	IDs       outbound.IDs
	Random    outbound.Random
}

// Attempt is a login by password.
type Attempt struct {
	Email    email.Address
	Password secret.String
	// Org is the workspace to log into; absent: the personal one.
	Org workspace.ID
	// Device is the token of a remembered device.
	Device secret.String
}

// ByPassword logs in by password. It fails with ErrRefused; that too is stored,
// as an event and in the failure counter.
func (s *Service) ByPassword(ctx context.Context, call command.Call, attempt Attempt) (Outcome, error) {
	var opened Opened
	var reason string
	err := s.settled(func() error {
		given, err := s.compare(ctx, attempt.Email, attempt.Password)
		if err != nil {
			return err
		}
		policies, err := s.Policies.OfUser(ctx, given.found.UserID)
		if err != nil {
			return err
		}
		return s.Unit.Do(ctx, func(tx Repos) error {
			opened, reason, err = s.enterBy(ctx, tx, given, Proof{
				UserID: given.found.UserID, Org: attempt.Org, AMR: []string{ByPassword},
				Device: attempt.Device, Call: call, Policies: policies,
			})
			return err
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	return s.Answer(opened, reason, ErrRefused)
}

// enterBy lets somebody in whose password was compared.
func (s *Service) enterBy(ctx context.Context, tx Repos, given comparison, p Proof) (Opened, string, error) {
	held, reason, err := s.judge(ctx, tx, given, p.Policies.Lockout)
	if err != nil {
		return Opened{}, "", err
	}
	if reason != "" {
		return Opened{}, reason, s.Refuse(ctx, tx, p.UserID, reason)
	}
	// The credential is stored even where nothing of it changes: a login that
	// crosses a change of the password meets its version, and decides again.
	held.Succeed()
	if given.verdict.Upgraded != "" {
		held.Upgrade(given.verdict.Upgraded)
	}
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return Opened{}, "", err
	}
	return s.Enter(ctx, tx, p)
}

// Refuse stores a failed login of an account, or of none.
func (s *Service) Refuse(ctx context.Context, tx Repos, tried user.ID, reason string) error {
	if _, err := tx.Failures.Count(ctx, s.Clock.Now()); err != nil {
		return err
	}
	return tx.Events.Record(ctx, login.Failed{UserID: tried, Reason: reason})
}

// Proof is a person whose identity was proved, by whatever way in.
type Proof struct {
	UserID user.ID
	// Org is the workspace to enter; absent: the personal one.
	Org workspace.ID
	// AMR is how the identity was proved (RFC 8176).
	AMR []string
	// Whole tells that no second factor is missing.
	Whole bool
	// Device is the token of a remembered device, if one was sent.
	Device secret.String
	// New tells that the account was made in the same unit of work.
	New bool
	// Arrival is what the provider told of somebody who comes from one.
	Arrival *Arrival
	// Must is what the person must do first, besides what holds for them anyway.
	Must     []user.Action
	Call     command.Call
	Policies policy.Set
}
