package system

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/mail"
)

// overdue is how long work may wait after it is due. A mail whose server refuses it is
// not due until the next attempt, so that this means that nobody takes it up.
const overdue = 5 * time.Minute

// apart is how far clocks may be from each other: limits, the times of tokens, and
// what replicas decide rely on them.
const apart = 2 * time.Second

func (s *Service) store(ctx context.Context) (string, error) {
	if err := s.Upkeep.Ping(ctx); err != nil {
		return "the database does not respond", err
	}
	return "the database responds", nil
}

func (s *Service) migrations(ctx context.Context) (string, error) {
	have, want, err := s.Upkeep.Migrated(ctx)
	if err != nil {
		return "the schema version cannot be read", err
	}
	detail := fmt.Sprintf("the schema is at version %d; this program requires %d", have, want)
	if have != want {
		return detail, errors.New(detail)
	}
	return detail, nil
}

// signingKeys signs and checks something, which takes the key being there,
// opened and whole.
func (s *Service) signingKeys(context.Context) (string, error) {
	keys := s.Instance.State().Keys
	active := keys.Active()
	if active == nil {
		return "there is no active signing key", errors.New("no active signing key")
	}
	if _, err := active.Sign("health", []byte("{}")); err != nil {
		return "the active signing key cannot sign", err
	}
	return fmt.Sprintf("%s signs with %s; %d keys are published", active.ID(), active.Algorithm(), len(keys.Published(s.Clock.Now()))), nil
}

// encryption describes a choice, so it does not fail.
func (s *Service) encryption(context.Context) (string, error) {
	if s.About.Sealing {
		return "enabled: personal data is encrypted at rest", nil
	}
	return "disabled: personal data is stored unencrypted, because ENCRYPTION_KEY is not set", nil
}

func (s *Service) queues(ctx context.Context) (string, error) {
	mails, err := s.mailQueue(ctx)
	if err != nil {
		return "the mail queue cannot be read", err
	}
	detail := fmt.Sprintf("mail: %d due, the oldest for %d s", mails.Ready, mails.OldestSeconds)
	if time.Duration(mails.OldestSeconds)*time.Second > overdue {
		return detail, errors.New("mail that is due is not sent")
	}
	return detail, nil
}

// mail also says that there is no server, which is a choice and does not fail.
func (s *Service) mail(ctx context.Context) (string, error) {
	err := s.Server.Reach(ctx)
	switch {
	case errors.Is(err, mail.ErrNoServer):
		return "there is no mail server, because SMTP_URL is not set", nil
	case err != nil:
		return "the mail server does not respond, or rejects the login", err
	}
	return "the mail server accepts the connection and login", nil
}

// clock looks at the database's clock, and at the newest event: another replica, or
// this one before its clock stepped back, may have written it.
func (s *Service) clock(ctx context.Context) (string, error) {
	before := s.Clock.Now()
	store, newest, err := s.Upkeep.Clocks(ctx)
	after := s.Clock.Now()
	if err != nil {
		return "the database's clock cannot be read", err
	}
	off, detail := time.Duration(0), "the database has no clock of its own"
	if !store.IsZero() {
		off, detail = beside(store, before, after)
	}
	future := max(0, newest.Sub(after))
	if future > 0 {
		detail += fmt.Sprintf("; the newest event is %d ms in the future", future.Milliseconds())
	}
	if max(off, future) > apart {
		return detail, errors.New("clocks differ: " + detail)
	}
	return detail, nil
}

// beside returns how far the database's clock was off at a time between two.
func beside(store, before, after time.Time) (time.Duration, string) {
	off, side := max(0, store.Sub(after)), "ahead of"
	if store.Before(before) {
		off, side = before.Sub(store), "behind"
	}
	return off, fmt.Sprintf("the database's clock is %d ms %s this process's", off.Milliseconds(), side)
}
