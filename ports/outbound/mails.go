package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Mails takes requests for mail, inside a unit of work.
type Mails interface {
	// Queue stores a request, which is carried out after the unit commits. One whose
	// Once was queued before is left out. It does the same work whoever it is for.
	Queue(ctx context.Context, r mail.Request) error
}

// Outbox is the queue as it is worked off, inside a unit of work. What concerns a
// mail that was claimed fails with mail.ErrLost once its turn is over.
type Outbox interface {
	// Claim gives mails that are due, the longest waiting first, and holds them off
	// others until the lease ends. Of those who claim at once, each gets others.
	Claim(ctx context.Context, most int, now, until time.Time) ([]mail.Claimed, error)
	// Address notes whom a mail is for, and where it goes.
	Address(ctx context.Context, c mail.Claimed, person user.ID, to email.Address) error
	// Drop forgets a mail that nobody shall get.
	Drop(ctx context.Context, c mail.Claimed) error
	// Settle notes what became of a turn.
	Settle(ctx context.Context, c mail.Claimed, o mail.Outcome, now time.Time) error
	// Requeue makes a mail that failed due again. It fails with mail.ErrNotFound or
	// mail.ErrNotFailed.
	Requeue(ctx context.Context, id mail.ID, now time.Time) error
	// RequeueSince does so with what failed at a time or later, at most so many, the
	// longest failed first, and tells how many there were.
	RequeueSince(ctx context.Context, since, now time.Time, most int) (int, error)
}

// MailQueue looks at the queue, outside any transaction.
type MailQueue interface {
	// Due tells whether a mail is due.
	Due(ctx context.Context, now time.Time) (bool, error)
	// Depth counts the mails that are queued.
	Depth(ctx context.Context) (int, error)
	// Backlog tells how many mails are due, and since when the oldest is; the time is
	// zero when none is.
	Backlog(ctx context.Context, now time.Time) (ready int, oldest time.Time, err error)
	// List gives the mails that match, newest first.
	List(ctx context.Context, query MailQuery) ([]mail.Entry, error)
	// Queued is ready to receive after this process committed a request for mail.
	Queued() <-chan struct{}
}

// MailQuery narrows a list of mails; zero values do not narrow.
type MailQuery struct {
	Status   mail.Status
	To       email.Address
	Template mail.Template
	// Before is the last id of the page before.
	Before mail.ID
	Limit  int
}

// Suppressions stores the addresses that get no mail, inside a unit of work.
type Suppressions interface {
	// Find gives the entry of an address; false when there is none.
	Find(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
	// Add stores an entry, unless the address has one, and tells whether it did.
	Add(ctx context.Context, s mail.Suppression) (bool, error)
	// Change gives an entry another reason.
	Change(ctx context.Context, id string, to mail.Reason) error
	// Remove drops the entry of an address, and gives it; false when there was none.
	Remove(ctx context.Context, address email.Address) (mail.Suppression, bool, error)
}

// SuppressionDirectory lists the addresses that get no mail, outside any transaction.
type SuppressionDirectory interface {
	// List gives the entries that match, newest first.
	List(ctx context.Context, query SuppressionQuery) ([]mail.Suppression, error)
}

// SuppressionQuery narrows a list of suppressions; zero values do not narrow.
type SuppressionQuery struct {
	Email email.Address
	// Before is the last id of the page before.
	Before string
	Limit  int
}

// MailTemplates stores templates that were set, inside a unit of work.
type MailTemplates interface {
	// Of gives those of a template, of a workspace and of the instance.
	Of(ctx context.Context, t mail.Template, org workspace.ID) ([]mail.Override, error)
	// Set fails with workspace.ErrNotFound.
	Set(ctx context.Context, o mail.Override) error
	// Reset drops one, and tells whether there was one.
	Reset(ctx context.Context, org workspace.ID, t mail.Template, locale string) (bool, error)
}

// MailTemplateDirectory reads templates that were set, outside any transaction.
type MailTemplateDirectory interface {
	// All gives those of a workspace and of the instance.
	All(ctx context.Context, org workspace.ID) ([]mail.Override, error)
}

// Mailer hands letters to a mail server.
type Mailer interface {
	// Send answers nil once the server has taken the letter over. It fails with a
	// *mail.Refused when the server answered otherwise.
	Send(ctx context.Context, letter mail.Letter) error
}

// MailProber sends one letter and tells what was said.
type MailProber interface {
	// Probe gives the conversation with the server line by line, without credentials;
	// its error is that of Mailer.Send.
	Probe(ctx context.Context, letter mail.Letter) ([]string, error)
}

// MailServer is asked whether it would take letters.
type MailServer interface {
	// Reach connects, and secures and authenticates that as configured, and hands
	// nothing over. It fails with mail.ErrNoServer where none is configured.
	Reach(ctx context.Context) error
}
