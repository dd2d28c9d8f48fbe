// Package login is the one way into a session: whatever proved the person's
// identity, lockout, disabled accounts and the session's own rules stand here
// once, and nowhere else.
package login

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// ErrRefused is the one answer to every login that fails, whatever the reason,
// so that it tells nothing about the account.
var ErrRefused = fault.New(fault.Auth, "wrong e-mail address or password")

// errMoved says that the password was changed while it was being compared.
var errMoved = errors.New("the stored hash changed during the comparison")

// ByPassword is the authentication method of a password (RFC 8176).
const ByPassword = "pwd"

// Repos is what a login stores.
type Repos struct {
	Users       outbound.Users
	Credentials outbound.Credentials
	Workspaces  outbound.Workspaces
	Belonging   outbound.UserWorkspaces
	Sessions    outbound.Sessions
	Events      outbound.Events
	Failures    outbound.LoginFailures
}

// Service logs people in.
type Service struct {
	Accounts  outbound.Accounts
	Unit      outbound.Unit[Repos]
	Passwords outbound.Passwords
	Policies  account.Policies
	Access    *token.Access
	Refresh   *token.Refresh
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Attempt is a login by password.
type Attempt struct {
	Email    email.Address
	Password secret.String
	// Org is the workspace to log into; absent: the personal one.
	Org workspace.ID
}

// ByPassword logs in by password. It fails with ErrRefused; that too is stored,
// as an event and in the failure counter.
func (s *Service) ByPassword(ctx context.Context, call command.Call, attempt Attempt) (token.Pair, error) {
	attempt.Password = password.Normal(attempt.Password)
	const tries = 3
	for range tries {
		pair, err := s.try(ctx, call, attempt)
		if !errors.Is(err, errMoved) {
			return pair, err
		}
	}
	return token.Pair{}, ErrRefused
}

func (s *Service) try(ctx context.Context, call command.Call, attempt Attempt) (token.Pair, error) {
	found, known, err := s.Accounts.ForLogin(ctx, attempt.Email)
	if err != nil {
		return token.Pair{}, fmt.Errorf("look up account: %w", err)
	}
	verdict, err := s.Passwords.Verify(ctx, found.Hash, attempt.Password)
	if err != nil {
		return token.Pair{}, fmt.Errorf("verify password: %w", err)
	}
	policies, err := s.Policies.OfUser(ctx, found.UserID)
	if err != nil {
		return token.Pair{}, err
	}
	var opened Opened
	var reason string
	err = s.Unit.Do(ctx, func(tx Repos) error {
		opened, reason = Opened{}, login.UnknownUser
		if known {
			d := decision{Service: s, tx: tx, found: found, verdict: verdict, policies: policies}
			if reason, err = d.take(ctx); err != nil {
				return err
			}
		}
		if reason != "" {
			return s.refuse(ctx, tx, found.UserID, reason)
		}
		entry := Entry{UserID: found.UserID, Org: attempt.Org, AMR: []string{ByPassword}, Call: call, Policy: policies.Session}
		opened, reason, err = s.enter(ctx, tx, entry)
		return err
	})
	switch {
	case err != nil:
		return token.Pair{}, err
	case reason == login.NotAMember:
		return token.Pair{}, workspace.ErrNotMember
	case reason != "":
		return token.Pair{}, ErrRefused
	}
	return s.Hand(opened)
}

// enter opens the session of a person whose password was right, or tells why
// not: who guessed a password leaves a trace, whatever workspace they name.
func (s *Service) enter(ctx context.Context, tx Repos, e Entry) (Opened, string, error) {
	opened, err := s.Open(ctx, tx, e)
	if errors.Is(err, workspace.ErrNotMember) {
		return Opened{}, login.NotAMember, s.refuse(ctx, tx, e.UserID, login.NotAMember)
	}
	if err != nil {
		return Opened{}, "", err
	}
	return opened, "", tx.Events.Record(ctx, login.Succeeded{UserID: e.UserID, AMR: e.AMR})
}

// refuse stores a failed login.
func (s *Service) refuse(ctx context.Context, tx Repos, tried user.ID, reason string) error {
	if _, err := tx.Failures.Count(ctx, s.Clock.Now()); err != nil {
		return err
	}
	return tx.Events.Record(ctx, login.Failed{UserID: tried, Reason: reason})
}

// decision is one comparison, brought to the account as it stands now.
type decision struct {
	*Service

	tx       Repos
	found    outbound.LoginAccount
	verdict  outbound.PasswordVerdict
	policies policy.Set
}

// take counts the attempt and tells why it is refused, or "".
func (d decision) take(ctx context.Context) (string, error) {
	c, err := d.tx.Credentials.ByUser(ctx, d.found.UserID)
	if errors.Is(err, user.ErrNotFound) {
		return login.UnknownUser, nil
	}
	if err != nil {
		return "", err
	}
	u, err := d.tx.Users.ByID(ctx, d.found.UserID)
	if err != nil {
		return "", err
	}
	now := d.Clock.Now()
	switch {
	case c.Hash() != d.found.Hash:
		return "", errMoved
	case c.Locked(now):
		return login.AccountLocked, nil
	case !d.verdict.Match:
		c.Fail(d.policies.Lockout, now)
		return login.WrongPassword, d.tx.Credentials.Save(ctx, c)
	case !u.Snapshot().Usable(now):
		return login.UserDisabled, nil
	}
	return "", d.succeed(ctx, c)
}

// succeed stores the credential even where nothing of it changes: a login that
// crosses a change of the password meets its version, and decides again.
func (d decision) succeed(ctx context.Context, c *credential.Credential) error {
	c.Succeed()
	if d.verdict.Upgraded != "" {
		c.Upgrade(d.verdict.Upgraded)
	}
	return d.tx.Credentials.Save(ctx, c)
}

// Entry is a person whose identity has been proved.
type Entry struct {
	UserID user.ID
	// Org is the workspace to enter; absent: the personal one.
	Org workspace.ID
	// AMR is how the identity was proved (RFC 8176).
	AMR    []string
	Call   command.Call
	Policy policy.Session
}

// Opened is a session that was stored and whose tokens are yet to be signed.
type Opened struct {
	User    user.Snapshot
	Session session.Snapshot
	Roles   []string
	Refresh secret.Shown
}

// Open stores a new session for a person, inside a unit of work. It fails with
// workspace.ErrNotMember, and has stored nothing, when the workspace asked for is
// not theirs.
func (s *Service) Open(ctx context.Context, tx Repos, e Entry) (Opened, error) {
	now := s.Clock.Now()
	u, err := tx.Users.ByID(ctx, e.UserID)
	if err != nil {
		return Opened{}, err
	}
	if e.Org == "" {
		if e.Org, err = tx.Belonging.Personal(ctx, e.UserID); err != nil {
			return Opened{}, err
		}
	}
	member, err := tx.Workspaces.Member(ctx, e.Org, e.UserID)
	if err != nil {
		return Opened{}, err
	}
	u.LoggedIn(now)
	if err := tx.Users.Save(ctx, u); err != nil {
		return Opened{}, err
	}
	of := session.NewID(s.IDs)
	refresh, digest := s.Refresh.Make(of)
	begun := session.Begin(session.Start{
		ID: of, UserID: e.UserID, OrgID: e.Org, AMR: e.AMR, IP: e.Call.IP,
		UserAgent: e.Call.UserAgent, Refresh: digest, Policy: e.Policy,
	}, now)
	if err := tx.Sessions.Save(ctx, begun); err != nil {
		return Opened{}, err
	}
	return Opened{User: u.Snapshot(), Session: begun.Snapshot(), Roles: member.Roles(now), Refresh: refresh}, nil
}

// Hand signs the tokens of an opened session, outside any unit of work.
func (s *Service) Hand(o Opened) (token.Pair, error) {
	access, expiresIn, err := s.Access.Issue(o.Session, o.User, o.Roles)
	if err != nil {
		return token.Pair{}, err
	}
	return token.NewPair(access, o.Refresh, expiresIn), nil
}
