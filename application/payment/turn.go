package payment

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/wait"
)

// turnPause is how long a caller waits before it asks again for a turn.
const turnPause = 100 * time.Millisecond

// takeTurn waits for the sole right to make something at a processor, on all replicas, and
// returns what ends it. Not every processor has idempotency keys: two that look there for an
// object at the same time, and find none, would both create it. If the holder dies, its turn
// ends after billing.Lease. The context must have no transaction.
func (s *Service) takeTurn(ctx context.Context, subject string) (leave func(), err error) {
	holder := s.IDs.UUID()
	for {
		now := s.Clock.Now()
		taken, err := s.Turns.Take(ctx, subject, holder, now, now.Add(billing.Lease))
		if err == nil && !taken {
			err = wait.For(ctx, turnPause)
		}
		if err != nil || taken {
			return func() { s.leaveTurn(ctx, subject, holder) }, err
		}
	}
}

func (s *Service) leaveTurn(ctx context.Context, subject, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if err := s.Turns.Leave(ctx, subject, holder); err != nil {
		s.Logger.WarnContext(ctx, "failed to release a payment processor slot: it stays taken until its lease ends", "subject", subject, "cause", err)
	}
}

// alone makes something while nobody else makes the same.
func (s *Service) alone(ctx context.Context, subject string, do func() error) error {
	leave, err := s.takeTurn(ctx, subject)
	defer leave()
	if err != nil {
		return err
	}
	return do()
}

// turnOf returns the subject of the turn in which a call is made. The calls about the data
// of one customer take turns, any other call with its twins.
func turnOf(i billing.Intent) string {
	if i.Kind == billing.IntentCustomer {
		return i.Subject
	}
	return i.ID.String()
}

// turnOfPrice returns the subject of the turn in which a price is made: with it a processor
// may make its product, or its meter.
func turnOfPrice(at billing.Account, of billing.PriceSnapshot) string {
	shared := of.ProductID.String()
	if of.Model == billing.Metered {
		shared = "meter " + of.Meter
	}
	return turnAt(at, shared)
}

func turnAt(at billing.Account, own string) string {
	return string(at.Processor) + " " + string(at.Mode) + " " + own
}
