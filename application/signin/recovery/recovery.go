// Package recovery lets people back in who lost their password, and lets them
// prove that an address is theirs (contract section 4).
package recovery

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos is what recovery stores, and what it reads to list the remaining credentials.
type Repos struct {
	login.Repos

	Passkeys signin.Passkeys
	Bindings machines.DPoPBindings
}

// Service mails links and redeems them.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Links     signin.Links
	Directory people.UserDirectory
	Apps      machines.AppDirectory
	Passwords account.Passwords
	Policies  account.Policies
	Clock     outbound.Clock
}

// RequestReset mails a link for setting a new password to an address that has an account. It
// behaves alike for every address; a flow, which knows nothing of the account, may suppress
// the mail.
func (s *Service) RequestReset(ctx context.Context, address email.Address) error {
	verdict, err := flowVerdict(ctx, "", address, func(func(string) bool) (map[string]any, error) {
		return live.Newcomer(address, s.Clock.Now()), nil
	})
	if err != nil || verdict.Blocked != nil {
		return err
	}
	return s.request(ctx, challenge.PasswordReset, address, credential.ResetRequested{}, verdict.Runs...)
}

// RequestVerification mails another link that verifies an address. It behaves alike for
// every address.
func (s *Service) RequestVerification(ctx context.Context, address email.Address) error {
	return s.request(ctx, challenge.EmailVerification, address, user.VerificationRequested{})
}

// request queues a mail to an address. Whether that has an account is found when
// the mail is written.
func (s *Service) request(ctx context.Context, kind challenge.Kind, address email.Address, asked event.Data, decidedBy ...flow.Run) error {
	letter, err := account.LinkTo(kind, account.Mailbox{Email: address})
	if err != nil {
		return err
	}
	letter.Facts = account.Asked(ctx, s.Clock.Now(), nil)
	return s.Unit.Do(ctx, func(tx Repos) error {
		if err := tx.Events.Record(ctx, asked); err != nil {
			return err
		}
		if err := tx.FlowRuns().Add(ctx, decidedBy...); err != nil {
			return err
		}
		return tx.Mails.Queue(ctx, letter)
	})
}

// usedLink is a link that was used, with its account.
type usedLink struct {
	user *user.User
	box  account.Mailbox
}

// take uses a link of one of the given kinds. It fails with challenge.ErrGone, also if the
// account may not be used or its address has changed.
func (s *Service) take(ctx context.Context, tx login.Repos, token secret.String, kinds ...challenge.Kind) (usedLink, error) {
	used, err := takeAny(ctx, tx.Challenges, token, s.Clock, kinds)
	if err != nil {
		return usedLink{}, err
	}
	box, err := account.MailboxOf(used)
	if err != nil {
		return usedLink{}, err
	}
	u, err := tx.Users.ByID(ctx, used.UserID)
	if errors.Is(err, user.ErrNotFound) {
		return usedLink{}, challenge.ErrGone
	}
	if err != nil {
		return usedLink{}, err
	}
	if !u.Snapshot().Usable(s.Clock.Now()) || !box.Of(u.Snapshot()) {
		return usedLink{}, challenge.ErrGone
	}
	return usedLink{user: u, box: box}, nil
}

func takeAny(ctx context.Context, waiting signin.Challenges, token secret.String, clock outbound.Clock, kinds []challenge.Kind) (challenge.Challenge, error) {
	for _, kind := range kinds {
		used, err := waiting.Take(ctx, kind, challenge.Digest(token.Reveal()), clock.Now())
		if !errors.Is(err, challenge.ErrGone) {
			return used, err
		}
	}
	return challenge.Challenge{}, challenge.ErrGone
}
