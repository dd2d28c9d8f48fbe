package mailing

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// Outbox is the queue for its workers, inside a unit of work. Methods on a claimed mail
// fail with mail.ErrLost if the claim has expired.
type Outbox interface {
	// Claim returns due mails, oldest first, and claims them until the lease ends.
	// Concurrent calls return different mails.
	Claim(ctx context.Context, most int, now, until time.Time) ([]mail.ClaimedMail, error)
	// Address stores the recipient and address of a mail.
	Address(ctx context.Context, c mail.ClaimedMail, person user.ID, to email.Address) error
	// Drop deletes a mail that must not be sent.
	Drop(ctx context.Context, c mail.ClaimedMail) error
	// RecordOutcome stores the outcome of an attempt.
	RecordOutcome(ctx context.Context, c mail.ClaimedMail, o mail.Outcome, now time.Time) error
	// Requeue makes a failed mail due again. It fails with mail.ErrNotFound or
	// mail.ErrNotFailed.
	Requeue(ctx context.Context, id mail.ID, now time.Time) error
	// RequeueSince makes at most so many mails due again that failed at a time or
	// later, oldest first, and returns their number.
	RequeueSince(ctx context.Context, since, now time.Time, most int) (int, error)
}

// Queue reads the queue, outside any transaction.
type Queue interface {
	// Due reports whether a mail is due.
	Due(ctx context.Context, now time.Time) (bool, error)
	// Depth returns the number of queued mails.
	Depth(ctx context.Context) (int, error)
	// Backlog returns the number of due mails, and since when the oldest has been due;
	// zero if there is none.
	Backlog(ctx context.Context, now time.Time) (ready int, oldest time.Time, err error)
	// List returns the mails that match, newest first.
	List(ctx context.Context, query Query) ([]mail.Entry, error)
	// Queued returns a channel that is ready to receive after this process committed a
	// request for mail.
	Queued() <-chan struct{}
}

// Query narrows a list of mails; zero values do not narrow.
type Query struct {
	Status   mail.Status
	To       email.Address
	Template mail.Template
	// Before is the last ID of the previous page.
	Before mail.ID
	Limit  int
}
