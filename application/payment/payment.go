// Package payment connects sales with payment processors: it makes intended calls,
// applies the processors' facts, and grants or withdraws access.
//
// # Decision
//
// Context: a processor may respond late or never, report things twice and in any order,
// and the process may be killed between any two steps; yet payments and access must
// agree.
//
// Choice: everything from a processor arrives as facts, whether as a response, by
// webhook or fetched, and is applied by Apply only, under the lock of the checkout. A
// call is stored before it is made and deleted in the transaction that applies its
// response; an overdue call is repeated with the same idempotency key, here or on
// another replica. Webhooks are stored before they are acknowledged, and applied from a
// queue.
//
// What would change our mind: a processor whose objects cannot be fetched.
package payment

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"gatehouse.internal/application/queue"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/workspaces"
)

const (
	// storeTime is the time limit for storing the result, even while the service stops.
	storeTime = 10 * time.Second
	// parallel is how many events and calls one replica works on at once.
	parallel = 8
)

// ErrNoProcessor is returned if the processor is not configured.
var ErrNoProcessor = fault.New(fault.NotFound, "unknown or unconfigured payment processor")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Coupons         commerce.Coupons
	Customers       commerce.Customers
	Checkouts       commerce.Checkouts
	Subscriptions   commerce.Subscriptions
	Invoices        commerce.Invoices
	Payments        commerce.Payments
	Refunds         commerce.Refunds
	Intents         commerce.Intents
	Usage           commerce.Usage
	ProcessorEvents commerce.ProcessorEvents
	Products        licensing.Products
	Policies        licensing.Policies
	Licenses        licensing.Licenses
	Owners          licensing.Owners
	Workspaces      workspaces.Workspaces
	Books           workspaces.Books
	Events          outbound.Events
}

// Service is where sales meet the processors.
type Service struct {
	Unit            outbound.Unit[Repos]
	Queues          commerce.Queues
	PendingSales    commerce.PendingSales
	ProcessorEvents commerce.ProcessorEventDirectory
	Sales           commerce.SaleDirectory
	Prices          commerce.PriceDirectory
	Customers       commerce.CustomerDirectory
	Mirrors         commerce.Mirrors
	Turns           commerce.Turns
	Products        licensing.ProductDirectory
	// Processors are those that are configured.
	Processors []commerce.Processor
	Clock      outbound.Clock
	IDs        outbound.IDs
	Random     outbound.Random
	// Patience is the time limit of a call to a processor.
	Patience time.Duration
	// Forged is called for each webhook with an invalid signature; may be nil.
	Forged func(product.Processor)
	Logger *slog.Logger

	wake chan struct{}
}

// Ready makes the service able to run; it is called once, before anything else.
func (s *Service) Ready() *Service {
	s.wake = make(chan struct{}, 1)
	return s
}

// Processor returns a processor by its name. It fails with ErrNoProcessor.
func (s *Service) Processor(name product.Processor) (commerce.Processor, error) {
	for _, one := range s.Processors {
		if one.Account().Processor == name {
			return one, nil
		}
	}
	return nil, ErrNoProcessor
}

// Of returns the processor of an account. It fails with ErrNoProcessor.
func (s *Service) Of(at billing.Account) (commerce.Processor, error) {
	found, err := s.Processor(at.Processor)
	if err == nil && found.Account() != at {
		err = ErrNoProcessor
	}
	return found, err
}

// Take stores a webhook of a processor; it is applied soon. It fails with
// ErrNoProcessor and billing.ErrSignature.
func (s *Service) Take(ctx context.Context, name string, header http.Header, body []byte) error {
	from, err := s.Processor(product.Processor(name))
	if err != nil {
		return err
	}
	received, err := s.received(ctx, from, header, body)
	if errors.Is(err, billing.ErrSignature) && s.Forged != nil {
		s.Forged(from.Account().Processor)
	}
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	for _, one := range received {
		one.ID, one.Account = billing.NewEventID(s.IDs), from.Account()
		if _, err := s.Queues.Keep(ctx, one, now); err != nil {
			return err
		}
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// received reads a webhook, for which the processor may have to be called.
func (s *Service) received(ctx context.Context, from commerce.Processor, header http.Header, body []byte) ([]billing.ProcessorEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	return from.Hooks().Read(ctx, header, body, s.Clock.Now())
}

// Run applies stored webhooks, repeats overdue calls, and fetches sales with overdue
// reports, until the context ends.
func (s *Service) Run(ctx context.Context) {
	var beside sync.WaitGroup
	beside.Go(func() {
		queue.Loop[billing.CheckoutID]{
			Name: "sales without news", Parallel: parallel, Logger: s.Logger,
			Claim: func(ctx context.Context, most int) ([]billing.CheckoutID, error) {
				return s.PendingSales.Claim(ctx, most, s.Clock.Now())
			},
			CarryOut: s.mend,
		}.Run(ctx)
	})
	beside.Go(func() {
		queue.Loop[billing.Intent]{
			Name: "payment calls", Parallel: parallel, Logger: s.Logger,
			Claim: func(ctx context.Context, most int) ([]billing.Intent, error) {
				return s.Queues.ClaimIntents(ctx, most, s.Clock.Now())
			},
			CarryOut: s.again,
		}.Run(ctx)
	})
	beside.Go(func() {
		queue.Loop[billing.Intent]{
			Name: "reports of usage", Parallel: parallel, Logger: s.Logger, Claim: s.claimUsage, CarryOut: s.again,
		}.Run(ctx)
	})
	queue.Loop[billing.EventID]{
		Name: "processor events", Parallel: parallel, Queued: s.wake, Logger: s.Logger,
		Claim: func(ctx context.Context, most int) ([]billing.EventID, error) {
			return s.Queues.ClaimEvents(ctx, most, s.Clock.Now())
		},
		CarryOut: s.apply,
	}.Run(ctx)
	beside.Wait()
}

// Pass does all that is due, one after the other, and returns how much that was.
func (s *Service) Pass(ctx context.Context) (int, error) {
	for n := 0; ; {
		events, err := s.Queues.ClaimEvents(ctx, parallel, s.Clock.Now())
		if err != nil {
			return n, err
		}
		calls, err := s.claimCalls(ctx)
		if err != nil {
			return n, err
		}
		sales, err := s.PendingSales.Claim(ctx, parallel, s.Clock.Now())
		if err != nil {
			return n, err
		}
		for _, one := range events {
			s.apply(ctx, one)
		}
		for _, one := range calls {
			s.again(ctx, one)
		}
		for _, one := range sales {
			s.mend(ctx, one)
		}
		if len(events)+len(calls)+len(sales) == 0 {
			return n, nil
		}
		n += len(events) + len(calls) + len(sales)
	}
}

// claimCalls takes the calls and reports that are due.
func (s *Service) claimCalls(ctx context.Context) ([]billing.Intent, error) {
	calls, err := s.Queues.ClaimIntents(ctx, parallel, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	reports, err := s.claimUsage(ctx, parallel)
	return append(calls, reports...), err
}

// again repeats an overdue call.
func (s *Service) again(ctx context.Context, i billing.Intent) {
	ctx = context.WithoutCancel(ctx)
	// Errors are reported in the result of the call, except for usage reports.
	if _, err := s.Carry(ctx, i, atOnce); err != nil && (i.Kind == billing.IntentUsage || !errors.Is(err, billing.ErrRefused)) {
		s.Logger.WarnContext(ctx, "a payment processor call failed", "intent", i.ID.String(), "kind", string(i.Kind), "cause", err)
	}
}

// apply applies a stored webhook.
func (s *Service) apply(ctx context.Context, id billing.EventID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Patience+storeTime)
	defer cancel()
	if _, err := s.ApplyEvent(ctx, id, false, atOnce); err != nil {
		s.Logger.WarnContext(ctx, "failed to apply an event of a payment processor", "processor_event_id", id.String(), "cause", err)
	}
}
