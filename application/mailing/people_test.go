package mailing_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	mailingstore "gatehouse.internal/adapters/sqlstore/mailing"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/mailing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	mailingport "gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/test/harness"
)

// repos is what the tests change by hand.
type repos struct {
	mailing.Repos
	Mails mailingport.Mails
}

// change does something in the store.
func change(t *testing.T, h *harness.Service, do func(ctx context.Context, tx repos) error) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) repos {
		return repos{
			Repos: mailing.Repos{
				Outbox: mailingstore.Outbox(tx), Digests: mailingstore.Digests(tx), Users: people.Users(tx), Belonging: workspaces.UserWorkspaces(tx), Challenges: signin.Challenges(tx),
				Suppressions: mailingstore.Suppressions(tx), Templates: mailingstore.Templates(tx), Events: tx.Events(),
			},
			Mails: tx.Mails(),
		}
	})
	if err := unit.Do(t.Context(), func(tx repos) error { return do(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// queue asks for mail.
func queue(t *testing.T, h *harness.Service, requests ...mail.Request) {
	t.Helper()
	change(t, h, func(ctx context.Context, tx repos) error {
		for _, r := range requests {
			if err := tx.Mails.Queue(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func address(text string) email.Address { return email.Restore(text) }

// notice is a mail to an account.
func notice(to *harness.Actor) mail.Request {
	return mail.Request{Template: mail.Notice, UserID: user.ID(to.UserID), Facts: map[string]string{"headline": "News"}}
}

// entries are the mails of a template, newest first.
func entries(t *testing.T, h *harness.Service, of mail.Template) []mail.Entry {
	t.Helper()
	found, err := mailingstore.Queue(h.Store).List(t.Context(), mailingport.Query{Template: of, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// databases are one of each kind, empty.
func databases(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"sqlite":   harness.SQLite(t),
		"postgres": harness.Postgres(t),
	}
}

// gone is a queue that cannot be reached for a while.
type gone struct {
	mailingport.Queue
	down, hangs atomic.Bool
}

// Due fails while the store is down.
func (g *gone) Due(ctx context.Context, now time.Time) (bool, error) {
	if g.down.Load() {
		return false, errors.New("the store is down")
	}
	if g.hangs.Load() {
		<-ctx.Done()
		return false, ctx.Err()
	}
	return g.Queue.Due(ctx, now)
}

// Depth hangs with the store.
func (g *gone) Depth(ctx context.Context) (int, error) {
	if g.hangs.Load() {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return g.Queue.Depth(ctx)
}

// slow are limits that are not counted while the store hangs.
type slow struct {
	outbound.Admission
	hangs atomic.Bool
}

// Admit waits for the store.
func (s *slow) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	if s.hangs.Load() {
		<-ctx.Done()
		return outbound.AdmissionAnswer{}, ctx.Err()
	}
	return s.Admission.Admit(ctx, ask)
}
