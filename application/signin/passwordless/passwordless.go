// Package passwordless implements logins by mailbox: by a mailed code or link, or by a
// link handed over by an administrator. It creates accounts only for invited people.
//
// # Decision
//
// A code has a million values and challenge.MaxFailures attempts, so guessing is
// limited by the number of codes that can be tried in total. Wrong codes are counted by
// the address that they were mailed to, over all challenges and replicas. They cause
// growing pauses (guess.LoginCodes) in which no code is mailed or checked: the response
// is RATE_LIMITED whether or not the code is correct or the address has an account.
// Links are too long to be guessed and are not subject to pauses, so that a stranger
// who keeps guessing locks nobody out. Neither does a lock after wrong passwords.
package passwordless

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/guess"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/signin"
)

// Errors of logins by mail.
var (
	ErrWrongCode = fault.New(fault.Auth, "invalid_grant: wrong code: try again, or request a new code")
	ErrNoCodes   = fault.New(fault.Denied, "sign-in with an emailed code is disabled: use a password, a passkey or an emailed link")
	ErrChallenge = fault.Unfit("/code_challenge", "is required for the method session, and not allowed for other methods")
	ErrRedirect  = fault.Unfit("/redirect_uri", "is only allowed for the method link")
)

// codeLife is how long a code is valid.
const codeLife = 10 * time.Minute

// Method is what somebody signs in by.
type Method string

// The methods.
const (
	Code    Method = "code"
	Link    Method = "link"
	Session Method = "session"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	login.Repos
}

// Service logs people in by their mailbox.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Inviting  *invitations.Service
	Links     signin.Links
	Policies  account.Policies
	Redirects redirect.Registered
	Blinder   outbound.Blinder
	Clock     outbound.Clock
	Random    outbound.Random
}

// PendingLogin is a login by mail that waits for its answer.
type PendingLogin struct {
	Challenge secret.Shown
	Life      time.Duration
}

// Start are the parameters of a login.
type Start struct {
	Email  email.Address
	Method Method
	// RedirectURI is where the link leads; "" for the login page.
	RedirectURI redirect.URI
	// Challenge is that of PKCE by S256, for the method session.
	Challenge string
	// Invitation is the token of the invitation that they accept, if any.
	Invitation secret.String
}

// Start mails a code or link to an address that has an account or is invited. It behaves
// alike for every address. With the method session it allows a program to sign in as the
// caller. It fails with ErrNoCodes, ErrRedirect, ErrChallenge or RATE_LIMITED, and for guests
// like invitations.Service.Register.
func (s *Service) Start(ctx context.Context, caller access.Caller, p Start) (PendingLogin, error) {
	if (p.Method == Session) != (p.Challenge != "") {
		return PendingLogin{}, ErrChallenge
	}
	if p.Method == Session {
		return s.allow(ctx, caller, p)
	}
	box, err := s.mailbox(ctx, p)
	if err != nil {
		return PendingLogin{}, err
	}
	handle, digest := challenge.NewHandle(s.Random)
	begun := PendingLogin{Challenge: handle, Life: codeLife}
	if p.Method == Link {
		begun.Life = account.LoginLinkLife
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if p.Method == Code {
			if _, err := s.guesses(ctx, tx, box.Email); err != nil {
				return err
			}
		}
		if err := tx.Events.Record(ctx, loginevent.CodeRequested{Method: string(p.Method)}); err != nil {
			return err
		}
		if box.Guest, err = newcomer(ctx, tx, box); err != nil {
			return err
		}
		if p.Method == Link {
			return s.queueLink(ctx, tx.Mails, box, p.RedirectURI)
		}
		return s.await(ctx, tx, box, digest)
	})
	return begun, err
}

// newcomer reports whether an invited address has no account.
func newcomer(ctx context.Context, tx Repos, box account.Mailbox) (bool, error) {
	if box.Invitation == "" {
		return false, nil
	}
	_, err := tx.Users.ByEmail(ctx, box.Email)
	if errors.Is(err, user.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// mailbox checks a request to sign in and returns the mailbox to write to.
func (s *Service) mailbox(ctx context.Context, p Start) (account.Mailbox, error) {
	switch {
	case p.RedirectURI != "" && p.Method != Link:
		return account.Mailbox{}, ErrRedirect
	case p.Method == Code && !s.codes():
		return account.Mailbox{}, ErrNoCodes
	case p.RedirectURI != "":
		if err := s.Redirects.Check(ctx, "/redirect_uri", p.RedirectURI); err != nil {
			return account.Mailbox{}, err
		}
	}
	if p.Invitation.Empty() {
		return account.Mailbox{Email: p.Email}, nil
	}
	to, err := s.Inviting.Register(ctx, s.Login.Instance.State(), p.Email, p.Invitation)
	return account.Mailbox{Email: to, Invitation: invitations.Digest(p.Invitation)}, err
}

// codes reports whether people may sign in by a mailed code.
func (s *Service) codes() bool { return s.Login.Instance.State().Settings.EmailCodes }

// guesses reads the count of wrong codes of an address. It fails with RATE_LIMITED during a
// pause.
func (s *Service) guesses(ctx context.Context, tx Repos, of email.Address) (*guess.Count, error) {
	count, err := tx.Guesses.Of(ctx, s.Blinder.Index(label.LoginCodes, of.Folded()))
	if err != nil {
		return nil, err
	}
	return count, count.Paused(s.Clock.Now())
}

func (s *Service) queueLink(ctx context.Context, mails mailing.Mails, box account.Mailbox, back redirect.URI) error {
	letter, err := account.LinkTo(challenge.LoginLink, box)
	if err != nil {
		return err
	}
	letter.Guest = box.Guest
	letter.Link.RedirectURI, letter.Facts = string(back), account.Asked(ctx, s.Clock.Now(), nil)
	return mails.Queue(ctx, letter)
}

// await opens the challenge that a mailed code answers. The challenge contains only the
// address: unless there is an invitation, nothing looks up whether it has an account.
func (s *Service) await(ctx context.Context, tx Repos, box account.Mailbox, digest string) error {
	content, err := box.Encode()
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	err = tx.Challenges.Open(ctx, challenge.Challenge{
		Digest: digest, Kind: challenge.LoginCode, Content: content, CreatedAt: now, ExpiresAt: now.Add(codeLife),
	})
	if err != nil {
		return err
	}
	return tx.Mails.Queue(ctx, mail.Request{
		Template: mail.LoginCode, To: box.Email, Guest: box.Guest, Challenge: digest, CodeMinutes: int(codeLife / time.Minute),
		Facts: account.Asked(ctx, now, nil),
	})
}
