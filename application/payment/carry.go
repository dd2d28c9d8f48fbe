package payment

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
)

// errMoot is returned if the reason for a call no longer exists.
var errMoot = errors.New("the processor call is no longer needed")

// Pause waits for something outside; see outbound.Transactions.Pause.
type Pause func(wait func() error) error

// atOnce waits where no transaction is open.
func atOnce(wait func() error) error { return wait() }

// Carry makes a call that was intended, and applies its answer. It reports whether that
// changed anything. It fails with billing.ErrRefused where the processor will not do it, and
// with billing.ErrSilent where that is not known: then the call is made again later, under
// the same key. So is one that waits, which is no error. Whoever makes the same call waits
// until its answer is stored.
func (s *Service) Carry(ctx context.Context, i billing.Intent, pause Pause) (changed bool, err error) {
	var facts []billing.Fact
	leave := func() {}
	defer func() {
		err = errors.Join(err, pause(func() error { leave(); return nil }))
	}()
	err = pause(func() (err error) {
		waiting, cancel := away(ctx, billing.CallTime)
		defer cancel()
		if leave, err = s.takeTurn(waiting, turnOf(i)); err != nil {
			return err
		}
		call, err := s.prepare(waiting, i)
		if err != nil {
			return err
		}
		calling, cancel := away(ctx, s.Patience)
		defer cancel()
		facts, err = call(calling)
		return err
	})
	switch {
	case errors.Is(err, errMoot):
		return false, s.done(ctx, i, nil)
	case errors.Is(err, billing.ErrRefused):
		return false, errors.Join(s.done(ctx, i, err), err)
	case errors.Is(err, billing.ErrWaiting):
		return false, s.Queues.Later(ctx, i.ID, s.Clock.Now().Add(billing.Retry(i.Attempts+1)))
	case err != nil:
		later := s.Queues.Later(ctx, i.ID, s.Clock.Now().Add(billing.Retry(i.Attempts+1)))
		return false, errors.Join(later, billing.ErrSilent.Because(err))
	}
	changed, err = s.answered(ctx, i, facts)
	if errors.Is(err, billing.ErrLie) {
		err = errors.Join(s.Queues.Later(ctx, i.ID, s.Clock.Now().Add(billing.Retry(i.Attempts+1))), err)
	}
	return changed, err
}

// answered applies the answer to a call. It reports whether that changed anything.
func (s *Service) answered(ctx context.Context, i billing.Intent, facts []billing.Fact) (changed bool, err error) {
	if err := about(i.CheckoutID, facts); err != nil {
		return false, err
	}
	around, err := s.around(ctx, i.Account, facts)
	if err != nil {
		return false, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if changed, err = s.Apply(ctx, tx, i.Account, facts, around); err != nil {
			return err
		}
		there, err := tx.Intents.Done(ctx, i.ID)
		if err != nil || !there || i.Plan.Coupon == "" {
			return err
		}
		return discount(ctx, tx, i)
	})
	return changed, err
}

// about fails with billing.ErrLie if a processor returns facts about another sale than
// requested. Facts without a sale belong to the requested one.
func about(one billing.CheckoutID, facts []billing.Fact) error {
	for i := range facts {
		if facts[i].CheckoutID == "" {
			facts[i].CheckoutID = one
		}
		if facts[i].CheckoutID != one {
			return billing.ErrLie
		}
	}
	return nil
}

// discount records the discount of a subscription from now on.
func discount(ctx context.Context, tx Repos, i billing.Intent) error {
	sub, err := tx.Subscriptions.ByID(ctx, billing.SubscriptionID(i.Subject))
	if err != nil {
		return err
	}
	sub.Redeemed(i.Plan.Coupon, i.Plan.Discount)
	return tx.Subscriptions.Save(ctx, sub)
}

// away returns the context of a call: it ends with that of the caller, but has none of
// its transactions.
func away(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	outside, cancel := context.WithTimeout(context.Background(), most)
	stop := context.AfterFunc(ctx, cancel)
	return outside, func() { stop(); cancel() }
}

// done removes a call that has no answer to apply; refused is why, if the processor did.
func (s *Service) done(ctx context.Context, i billing.Intent, refused error) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Checkouts.ByID(ctx, i.CheckoutID)
		if err != nil {
			return err
		}
		there, err := tx.Intents.Done(ctx, i.ID)
		if err != nil || !there || refused == nil {
			return err
		}
		return fail(ctx, tx, held, i)
	})
}

// fail cleans up after a call that the processor rejected.
func fail(ctx context.Context, tx Repos, held *billing.Checkout, i billing.Intent) error {
	switch i.Kind {
	case billing.IntentCheckout:
		if !held.Fail() {
			return nil
		}
		if err := release(ctx, tx, held.Snapshot().Sale, held.Snapshot().Coupon); err != nil {
			return err
		}
		return tx.Checkouts.Save(ctx, held)
	case billing.IntentRefund:
		refund, err := tx.Refunds.ByID(ctx, billing.RefundID(i.Subject))
		if err != nil {
			return err
		}
		refund.Fail(billing.ErrRefused.Message)
		return tx.Refunds.Save(ctx, refund)
	case billing.IntentUpdate:
		return release(ctx, tx, held.Snapshot().Sale, i.Plan.Coupon)
	case billing.IntentCancel, billing.IntentResume, billing.IntentComplete, billing.IntentCustomer, billing.IntentUsage:
	}
	return nil
}
