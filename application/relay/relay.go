// Package relay delivers events to endpoints: it appends committed events to the feed,
// with a delivery for each subscribed endpoint, and sends due deliveries.
//
// # Decision
//
// Context: each replica does this, any of them may be killed at any time, and an
// instance without webhooks must not pay for them.
//
// Choice: an event gets its place in the feed and its deliveries in one transaction.
// Sending uses the claim loop of mail and jobs: a delivery is claimed for longer than
// an attempt may take, and claimed again by any replica after that. The loop is woken
// by commits only while there are subscriptions; otherwise the feed is updated once a
// second.
//
// What would change our mind: receivers that rely on an order.
package relay

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/queue"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/ports/outbound/workspaces"
)

const (
	// parallel is how many messages a replica sends at once.
	parallel = 64
	// failing is the maximum number of concurrent attempts to endpoints whose last
	// attempt failed, so that many hanging endpoints leave room for others.
	failing = parallel / 2
	// lookEvery is the polling interval for events committed by other replicas.
	lookEvery = time.Second
	// gather is the delay that combines commits in quick succession.
	gather = 2 * time.Millisecond
	// storeTime is the time limit for storing the result of an attempt, even while the
	// service stops.
	storeTime = 10 * time.Second
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Endpoints webhooks.Endpoints
	Streams   webhooks.Streams
	Notices   people.Notices
}

// Relay delivers events to endpoints.
type Relay struct {
	Unit   outbound.Unit[Repos]
	Feed   webhooks.Feed
	Claims webhooks.Claims
	Chain  webhooks.Chain
	Heads  webhooks.Heads
	// Replicas says which replicas have to verify the chain.
	Replicas ops.Replicas
	// Issuer is the public address of the service, the issuer of signed heads.
	Issuer   string
	Sender   webhooks.Sender
	Streams  webhooks.StreamDirectory
	Shipper  webhooks.Shipper
	Rights   workspaces.Rights
	Instance *instance.Current
	// Evented is ready once this process committed events.
	Evented <-chan struct{}
	Clock   outbound.Clock
	Random  outbound.Random
	Logger  *slog.Logger

	turn sync.Mutex
	last webhook.ID
	// failing counts running attempts to endpoints whose last attempt failed.
	failing atomic.Int32
}

// Run works until the context ends and running attempts have ended.
func (r *Relay) Run(ctx context.Context) {
	wake := make(chan struct{}, 1)
	var working sync.WaitGroup
	working.Go(func() { r.carryOn(ctx, wake) })
	working.Go(func() { r.sealOn(ctx) })
	working.Go(func() { r.streamOn(ctx) })
	queue.Loop[webhooks.ClaimedDelivery]{
		Name: "webhooks", Parallel: parallel, Claim: r.claim,
		CarryOut: func(ctx context.Context, c webhooks.ClaimedDelivery) {
			r.attempt(ctx, c)
			signal(wake) // its endpoint may have more
		},
		Queued: wake, Logger: r.Logger,
	}.Run(ctx)
	working.Wait()
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// carryOn takes events into the feed as they are committed.
func (r *Relay) carryOn(ctx context.Context, wake chan struct{}) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	fails := false
	for {
		wanted, err := r.place(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !fails {
			r.Logger.WarnContext(ctx, "failed to extend the event feed", "cause", err)
		}
		fails = err != nil
		var evented <-chan struct{}
		if wanted {
			signal(wake)
			evented = r.Evented
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-evented:
			select {
			case <-ctx.Done():
				return
			case <-time.After(gather):
			}
		}
	}
}

// place appends committed events to the feed, and reports whether there are
// subscriptions.
func (r *Relay) place(ctx context.Context) (wanted bool, err error) {
	if err := r.Feed.Place(ctx); err != nil {
		return false, err
	}
	return r.Claims.Wanted(ctx)
}

// Pass appends committed events and sends due deliveries, one after the other; it
// returns the number of attempts.
func (r *Relay) Pass(ctx context.Context) (int, error) {
	if _, err := r.place(ctx); err != nil {
		return 0, err
	}
	for n := 0; ; {
		claimed, err := r.claim(ctx, parallel)
		if err != nil || len(claimed) == 0 {
			return n, err
		}
		for _, one := range claimed {
			r.attempt(ctx, one)
			n++
		}
	}
}

// claim claims due deliveries, taking turns over the endpoints.
func (r *Relay) claim(ctx context.Context, most int) ([]webhooks.ClaimedDelivery, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	claimed, err := r.Claims.Claim(ctx, webhooks.ClaimOrder{
		Most: most, InFlight: r.Instance.State().Settings.WebhookInFlight, Failing: failing - int(r.failing.Load()), After: r.last, Now: r.Clock.Now(),
	})
	for _, one := range claimed {
		r.last = one.WebhookID
		if one.Endpoint.Streak > 0 {
			r.failing.Add(1)
		}
	}
	return claimed, err
}

// body is the body of a message.
type body struct {
	ID        event.ID        `json:"id"`
	Type      event.Kind      `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// MaxBody is the most that is sent, in bytes.
const MaxBody = 256 << 10

// Body returns the body of the message about an event.
func Body(r event.Record) ([]byte, error) {
	return strictjson.Encode(body{ID: r.ID, Type: r.Kind, Timestamp: r.At, Data: r.Data})
}

// attempt sends a delivery, and stores how that went also while the service stops: an attempt
// that began is finished.
func (r *Relay) attempt(ctx context.Context, c webhooks.ClaimedDelivery) {
	if c.Endpoint.Streak > 0 {
		defer r.failing.Add(-1)
	}
	ctx = context.WithoutCancel(ctx)
	made := r.send(ctx, &c)
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	health, err := r.Claims.Finish(ctx, c, made)
	if err == nil {
		err = r.judge(ctx, c, made, health)
	}
	if err != nil {
		// It is claimed again after its lease, with the same webhook-id.
		r.Logger.WarnContext(ctx, "failed to store the outcome of a delivery", "delivery_id", c.ID.String(), "cause", err)
	}
}

// send makes the attempt, unless there is nothing to send.
func (r *Relay) send(ctx context.Context, c *webhooks.ClaimedDelivery) webhook.Attempt {
	message := webhook.Message{ID: c.ID.String()}
	var err error
	if c.Event.ID != "" {
		message.Body, err = Body(c.Event)
	}
	now := r.Clock.Now()
	switch {
	case c.Endpoint.ID == "":
		c.Bury("the webhook endpoint was deleted", now)
	case c.Event.ID == "":
		c.Bury("the event is no longer stored", now)
	case c.Event.Altered:
		c.Bury("the event was altered in the database", now)
	case err != nil || len(message.Body) > MaxBody:
		c.Bury("the event is larger than 256 KiB", now)
	default:
		made := r.Sender.Send(ctx, c.Endpoint, message, now)
		c.Note(made, r.chance(), r.Clock.Now())
		return made
	}
	return webhook.Attempt{}
}

// chance returns a random number from 0 to 1.
func (r *Relay) chance() float64 { return float64(r.Random.Bytes(1)[0]) / 255 }

// ignoreGone takes an endpoint that was deleted meanwhile for one that is switched off.
func ignoreGone(err error) error {
	if errors.Is(err, webhook.ErrNotFound) {
		return nil
	}
	return err
}
