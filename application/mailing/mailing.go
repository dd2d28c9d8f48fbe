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
// that moves the due time to the end of a lease. A job library would bring tables
// and a clock of its own for what is three statements here. The process that
// commits a request is nudged; the others look once a second.
//
// What would change our mind: kinds of background work that need priorities,
// schedules, or dependencies among each other.
//
// # Decision: at least once, in one narrow window
//
// Context: no transaction spans a mail server and the store. Between the server's
// acceptance of a letter and the settling of its row the process may die, or the
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
	"sync"
	"sync/atomic"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
)

const (
	// parallel is how many letters one replica sends at once.
	parallel = 8
	// answerFirst is how long mail that was just queued waits.
	answerFirst = 50 * time.Millisecond
	// lookEvery is how often a replica looks for mail of others, or that is due again.
	lookEvery = time.Second
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

// Repos is what the delivery stores.
type Repos struct {
	Outbox       outbound.Outbox
	Users        outbound.Users
	Belonging    outbound.UserWorkspaces
	Challenges   outbound.Challenges
	Suppressions outbound.Suppressions
	Templates    outbound.MailTemplates
	Events       outbound.Events
}

// Delivery sends what is queued.
type Delivery struct {
	Unit  outbound.Unit[Repos]
	Queue outbound.MailQueue
	Looks outbound.Looks
	// Limits counts the mails to each address, over all replicas.
	Limits  outbound.Admission
	Blinder outbound.Blinder
	Mailer  outbound.Mailer
	Clock   outbound.Clock
	Random  outbound.Random
	Logger  *slog.Logger
	// Host is SERVICE_HOST: all links lead there.
	Host string

	depth atomic.Int64
}

// Depth is how many mails were queued when they were counted last.
func (d *Delivery) Depth() float64 { return float64(d.depth.Load()) }

// Run sends mail until the context ends and the letters under way have ended.
func (d *Delivery) Run(ctx context.Context) {
	look, count := time.NewTicker(lookEvery), time.NewTicker(countEvery)
	defer look.Stop()
	defer count.Stop()
	slots := make(chan struct{}, parallel)
	var working sync.WaitGroup
	defer working.Wait()
	failing := false
	for {
		n, err := d.dispatch(ctx, slots, &working)
		if ctx.Err() != nil {
			return
		}
		failing = d.tell(ctx, err, failing)
		if n > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-d.Queue.Queued():
			pause(ctx)
		case <-look.C:
		case <-count.C:
			d.count(ctx)
		}
	}
}

// pause lets the answer go out to the call that asked for a mail: what is done for
// an address that has an account must not cost that call any time.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(answerFirst):
	}
}

// tell logs the first of several failures in a row, and that it is over.
func (d *Delivery) tell(ctx context.Context, err error, failing bool) bool {
	switch {
	case err != nil && !failing:
		d.Logger.WarnContext(ctx, "the queue of mail cannot be worked off", "cause", err)
	case err == nil && failing:
		d.Logger.InfoContext(ctx, "the queue of mail is worked off again")
	}
	return err != nil
}

func (d *Delivery) count(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if depth, err := d.Queue.Depth(ctx); err == nil {
		d.depth.Store(int64(depth))
	}
}

// dispatch claims as many mails as there are slots, at least one, and begins to
// send them; it tells how many.
func (d *Delivery) dispatch(ctx context.Context, slots chan struct{}, working *sync.WaitGroup) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case slots <- struct{}{}:
	}
	free := 1
	for more := true; more; {
		select {
		case slots <- struct{}{}:
			free++
		default:
			more = false
		}
	}
	claimed, err := d.claim(ctx, free)
	for range free - len(claimed) {
		<-slots
	}
	for _, c := range claimed {
		working.Go(func() {
			defer func() { <-slots }()
			d.carryOut(ctx, c)
		})
	}
	return len(claimed), err
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

// Pass sends everything that is due now, one after the other, and tells how many.
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

// carryOut delivers a mail. What cannot even be settled comes up again when its
// lease ends.
func (d *Delivery) carryOut(ctx context.Context, c mail.Claimed) {
	if err := d.deliver(ctx, c); err != nil && ctx.Err() == nil {
		d.Logger.WarnContext(ctx, "a mail was not carried out", "message_id", c.ID.String(), "cause", err)
	}
}
