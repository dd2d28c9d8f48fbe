// Package mailing executes the requests for mail in the queue: it determines the
// recipient, creates the link or the code, writes the mail, and sends it to the mail
// server.
//
// # Decision: our own loop
//
// Context: mail is requested in the transaction that causes it, must not delay a
// response, and must be sent even if replicas stop.
//
// Choice: the queue is a table, and each replica claims due rows by a statement that
// moves the due time to the end of a lease (package queue). The process that commits a
// request is woken; the others poll once a second.
//
// What would change our mind: kinds of background work that need priorities, schedules,
// or dependencies among each other.
//
// # Decision: at least once, in one narrow window
//
// Context: no transaction spans a mail server and the store. Between the server's
// acceptance of a mail and the update of its row the process may die, or the response
// of the server may be lost.
//
// Choice: such a mail is sent again when its lease expires, because a reset link that
// never arrives is worse than one that arrives twice. Both mails have the same
// Message-ID, which is that of the row, so that mail systems may drop the second one.
// The second one contains a new link or code; a new code invalidates the previous one.
// Nothing else causes duplicates: requests have the idempotency key Request.Once, which
// is unique in the queue.
//
// What would change our mind: a protocol in which the server takes an idempotency key.
package mailing

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"gatehouse.internal/application/queue"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

const (
	// parallel is how many letters one replica sends at once.
	parallel = 8
	// answerFirst is how long mail that was just queued waits.
	answerFirst = 50 * time.Millisecond
	// countEvery is how often the queue is counted for the metrics.
	countEvery = 15 * time.Second
	// sendTimeout is the time limit for sending a mail.
	sendTimeout = 30 * time.Second
	// grace is how long letters under way may take once the service stops.
	grace = 5 * time.Second
	// storeTimeout is the time limit of an access to the store: to claim, to count, to
	// prepare a mail, and to store the result.
	storeTimeout = 10 * time.Second
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Outbox       mailing.Outbox
	Digests      mailing.Digests
	Users        people.Users
	Belonging    workspaces.UserWorkspaces
	Challenges   signin.Challenges
	Suppressions mailing.Suppressions
	Templates    mailing.Templates
	Events       outbound.Events
}

// Delivery sends queued mail.
type Delivery struct {
	Unit              outbound.Unit[Repos]
	Queue             mailing.Queue
	BrandingDirectory workspaces.BrandingDirectory
	// Limits counts the mails to each address, over all replicas.
	Limits  outbound.Admission
	Blinder outbound.Blinder
	Mailer  mailing.Mailer
	Clock   outbound.Clock
	Random  outbound.Random
	Logger  *slog.Logger
	// Host is SERVICE_HOST: all links lead there.
	Host string

	depth atomic.Int64
}

// Depth is how many mails were queued when they were counted last.
func (d *Delivery) Depth() float64 { return float64(d.depth.Load()) }

// Run sends mail until the context ends and mails in progress are sent. Mails are
// delayed by answerFirst, so that the work for an existing account does not delay the
// response.
func (d *Delivery) Run(ctx context.Context) {
	queue.Loop[mail.ClaimedMail]{
		Name: "mail", Parallel: parallel, Claim: d.claim, CarryOut: d.carryOut, Queued: d.Queue.Queued(), Answer: answerFirst,
		Count: d.count, CountEvery: countEvery, Logger: d.Logger,
	}.Run(ctx)
}

func (d *Delivery) count(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if depth, err := d.Queue.Depth(ctx); err == nil {
		d.depth.Store(int64(depth))
	}
}

// claim takes mails that are due. It looks first, since most often there is none.
func (d *Delivery) claim(ctx context.Context, most int) (claimed []mail.ClaimedMail, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := d.Clock.Now()
	if due, err := d.Queue.Due(ctx, now); err != nil || !due {
		return nil, err
	}
	err = d.Unit.Do(ctx, func(tx Repos) error {
		var err error
		claimed, err = tx.Outbox.Claim(ctx, most, now, mail.LeaseFrom(now))
		return err
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// Pass sends everything that is due now, one after the other, and returns how many.
func (d *Delivery) Pass(ctx context.Context) (int, error) {
	for done := 0; ; {
		claimed, err := d.claim(ctx, parallel)
		if err != nil || len(claimed) == 0 {
			return done, err
		}
		for _, c := range claimed {
			if err := d.deliver(ctx, c); err != nil {
				return done, err
			}
			done++
		}
	}
}

// carryOut delivers a mail. If the result cannot be stored, the mail is sent again when
// its lease expires.
func (d *Delivery) carryOut(ctx context.Context, c mail.ClaimedMail) {
	if err := d.deliver(ctx, c); err != nil && ctx.Err() == nil {
		d.Logger.WarnContext(ctx, "an email could not be delivered", "message_id", c.ID.String(), "cause", err)
	}
}
