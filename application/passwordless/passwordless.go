// Package passwordless logs people in by their mailbox: by a code or a link that
// was mailed, or by a link that an administrator handed over. It makes no accounts.
//
// # Decision
//
// A code has a million values and may be missed challenge.MaxFailures times, so
// that what bounds guessing is how many codes can be asked for: as many an hour as
// AUTH.PASSWORDLESS_START admits for one address, over all replicas. Counting wrong
// codes by account besides would cost a statement that an unknown address does not,
// and so tell who has an account. A lock that wrong passwords brought about does
// not stop a mailed code, which is how the owner gets in meanwhile.
package passwordless

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/login"
	"gatehouse.internal/application/redirect"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Errors of logins by mail.
var (
	ErrWrongCode = fault.New(fault.Auth, "invalid_grant: the code is wrong: try again, or begin again")
	ErrRedirect  = fault.Unfit("/redirect_uri", "is for the method link")
)

// codeLife is how long a code is waited for.
const codeLife = 10 * time.Minute

// Method is what is mailed.
type Method string

// The methods.
const (
	Code Method = "code"
	Link Method = "link"
)

// Repos is what a login by mail stores.
type Repos struct {
	login.Repos

	WaysIn outbound.WaysIn
}

// Service logs people in by their mailbox.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Links     outbound.Links
	Policies  account.Policies
	Redirects redirect.Registered
	Blinder   outbound.Blinder
	Clock     outbound.Clock
	Random    outbound.Random
}

// Begun is a login by mail that waits for its answer.
type Begun struct {
	Challenge secret.Shown
	Life      time.Duration
}

// Start mails a code or link to whoever has an account of an address. It does the
// same for every address.
func (s *Service) Start(ctx context.Context, to email.Address, method Method, back redirect.URI) (Begun, error) {
	switch {
	case back != "" && method != Link:
		return Begun{}, ErrRedirect
	case back != "":
		if err := s.Redirects.Check(ctx, "/redirect_uri", back); err != nil {
			return Begun{}, err
		}
	}
	handle, digest := challenge.NewHandle(s.Random)
	begun := Begun{Challenge: handle, Life: codeLife}
	if method == Link {
		begun.Life = account.LoginLinkLife
	}
	err := s.Unit.Do(ctx, func(tx Repos) error {
		if err := tx.Events.Record(ctx, outcome.CodeRequested{Method: string(method)}); err != nil {
			return err
		}
		if method == Link {
			return s.queueLink(ctx, tx.Mails, to, back)
		}
		return s.await(ctx, tx, to, digest)
	})
	return begun, err
}

func (s *Service) queueLink(ctx context.Context, mails outbound.Mails, to email.Address, back redirect.URI) error {
	letter, err := account.LinkTo(challenge.LoginLink, account.Mailbox{Email: to})
	if err != nil {
		return err
	}
	letter.Link.RedirectURI, letter.Facts = string(back), account.Asked(ctx, s.Clock.Now(), nil)
	return mails.Queue(ctx, letter)
}

// await opens the challenge that a mailed code answers. It names the address alone:
// nobody looks whether it has an account.
func (s *Service) await(ctx context.Context, tx Repos, to email.Address, digest string) error {
	content, err := account.Mailbox{Email: to}.Encode()
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
		Template: mail.LoginCode, To: to, Challenge: digest, CodeMinutes: int(codeLife / time.Minute),
		Facts: account.Asked(ctx, now, nil),
	})
}

// owner gives the account that a login is for, as it stands. It fails with
// challenge.ErrGone.
func owner(ctx context.Context, tx Repos, waiting challenge.Challenge, box account.Mailbox) (*user.User, error) {
	var u *user.User
	var err error
	if waiting.UserID == "" {
		u, err = tx.Users.ByEmail(ctx, box.Email)
	} else {
		u, err = tx.Users.ByID(ctx, waiting.UserID)
	}
	if errors.Is(err, user.ErrNotFound) || (err == nil && !box.Of(u.Snapshot())) {
		return nil, challenge.ErrGone
	}
	return u, err
}
