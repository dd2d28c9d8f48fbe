package mailing

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// Outbox is the queue as it is worked off, inside a unit of work. What concerns a
// mail that was claimed fails with mail.ErrLost once its turn is over.
type Outbox interface {
	// Claim returns mails that are due, the longest waiting first, and holds them off
	// others until the lease ends. Of those who claim at once, each gets others.
	Claim(ctx context.Context, most int, now, until time.Time) ([]mail.Claimed, error)
	// Address notes whom a mail is for, and where it goes.
	Address(ctx context.Context, c mail.Claimed, person user.ID, to email.Address) error
	// Drop forgets a mail that nobody shall get.
	Drop(ctx context.Context, c mail.Claimed) error
	// RecordOutcome stores what became of a turn.
	RecordOutcome(ctx context.Context, c mail.Claimed, o mail.Outcome, now time.Time) error
	// Requeue makes a mail that failed due again. It fails with mail.ErrNotFound or
	// mail.ErrNotFailed.
	Requeue(ctx context.Context, id mail.ID, now time.Time) error
	// RequeueSince does so with what failed at a time or later, at most so many, the
	// longest failed first, and returns how many there were.
	RequeueSince(ctx context.Context, since, now time.Time, most int) (int, error)
}

// Queue looks at the queue, outside any transaction.
type Queue interface {
	// Due reports whether a mail is due.
	Due(ctx context.Context, now time.Time) (bool, error)
	// Depth counts the mails that are queued.
	Depth(ctx context.Context) (int, error)
	// Backlog returns how many mails are due, and since when the oldest is; the time is
	// zero when none is.
	Backlog(ctx context.Context, now time.Time) (ready int, oldest time.Time, err error)
	// List returns the mails that match, newest first.
	List(ctx context.Context, query Query) ([]mail.Entry, error)
	// Queued is ready to receive after this process committed a request for mail.
	Queued() <-chan struct{}
}

// Query narrows a list of mails; zero values do not narrow.
type Query struct {
	Status   mail.Status
	To       email.Address
	Template mail.Template
	// Before is the last id of the page before.
	Before mail.ID
	Limit  int
}
