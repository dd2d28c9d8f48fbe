// Package mailing carries out the requests for mail that units of work left in
// the queue: it finds out who shall get it, makes the link or the code, writes the
// letter, and hands it to the mail server.
//
// # Decision: a loop of our own
//
// Context: mail is asked for in the transaction that makes it necessary, must not
// delay an answer, and must go out although replicas come and go.
//
// Choice: the queue is a table, and each replica claims what is due by a statement
// that moves the due time to the end of a lease (package queue). The process that
// commits a request is nudged; the others look once a second.
//
// What would change our mind: kinds of background work that need priorities,
// schedules, or dependencies among each other.
//
// # Decision: at least once, in one narrow window
//
// Context: no transaction spans a mail server and the store. Between the server's
// acceptance of a letter and the change of its row the process may die, or the
// answer of the server may be lost.
//
// Choice: such a mail is sent again when its lease ends, because a reset link that
// never comes is worse than one that comes twice. Both letters carry the same
// Message-ID, which is that of the row, so that mail systems may drop the second.
// The second holds a fresh link or code; a fresh code ends the one before. No event
// is ever mailed about twice by another way: what asks for a mail names it by
// Request.Once, which is unique in the queue.
//
// What would change our mind: a protocol in which the server takes an idempotency
// key.
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
	// sendTimeout bounds what sending one letter takes.
	sendTimeout = 30 * time.Second
	// grace is how long letters under way may take once the service stops.
	grace = 5 * time.Second
	// storeTimeout bounds what is asked of the store at once: to claim, to count, to
	// prepare a letter, to write what became of it. What takes longer hangs.
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

// Delivery sends what is queued.
type Delivery struct {
	Unit  outbound.Unit[Repos]
	Queue mailing.Queue
	Looks workspaces.Looks
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

// Run sends mail until the context ends and the letters under way have ended. A mail waits
// answerFirst: what is done for an address that has an account must not cost the call that
// asked any time.
func (d *Delivery) Run(ctx context.Context) {
	queue.Loop[mail.Claimed]{
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
func (d *Delivery) claim(ctx context.Context, most int) (claimed []mail.Claimed, err error) {
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

// carryOut delivers a mail. One whose outcome cannot be stored comes up again when its
// lease ends.
func (d *Delivery) carryOut(ctx context.Context, c mail.Claimed) {
	if err := d.deliver(ctx, c); err != nil && ctx.Err() == nil {
		d.Logger.WarnContext(ctx, "a mail was not carried out", "message_id", c.ID.String(), "cause", err)
	}
}
