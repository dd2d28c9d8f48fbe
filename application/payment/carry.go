package payment

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// errMoot says that nothing is left that a call would be for.
var errMoot = errors.New("nothing is left to call the processor for")

// Pause waits for something outside; see outbound.Transactions.Pause.
type Pause func(wait func() error) error

// atOnce waits where no transaction is open.
func atOnce(wait func() error) error { return wait() }

// Carry makes a call that was intended, and applies its answer. It reports whether that
// changed anything. It fails with billing.ErrRefused where the processor will not do it, and
// with billing.ErrSilent where that is not known: then the call is made again later, under
// the same key.
func (s *Service) Carry(ctx context.Context, i billing.Intent, pause Pause) (changed bool, err error) {
	var fact billing.Fact
	call, err := s.prepare(ctx, i)
	if err == nil {
		err = pause(func() (err error) {
			outside, cancel := away(ctx)
			defer cancel()
			fact, err = call(outside)
			return err
		})
	}
	switch {
	case errors.Is(err, errMoot):
		return false, s.done(ctx, i, nil)
	case errors.Is(err, billing.ErrRefused):
		return false, errors.Join(s.done(ctx, i, err), err)
	case err != nil:
		later := s.Queues.Later(ctx, i.ID, s.Clock.Now().Add(billing.Retry(i.Attempts+1)))
		return false, errors.Join(later, billing.ErrSilent.Because(err))
	}
	facts := []billing.Fact{fact}
	around, err := s.around(ctx, facts)
	if err != nil {
		return false, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if changed, err = s.Apply(ctx, tx, i.Account, facts, around); err != nil {
			return err
		}
		_, err := tx.Intents.Done(ctx, i.ID)
		return err
	})
	return changed, err
}

// away is the context of a call: it ends with the one of the caller, and knows of none of its
// transactions.
func away(ctx context.Context) (context.Context, context.CancelFunc) {
	outside, cancel := context.WithTimeout(context.Background(), callTime)
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

// fail ends what the processor did not take.
func fail(ctx context.Context, tx Repos, held *billing.Checkout, i billing.Intent) error {
	switch i.Kind {
	case billing.IntentCheckout:
		if !held.Fail() {
			return nil
		}
		if err := release(ctx, tx, held.Snapshot()); err != nil {
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
	case billing.IntentCancel, billing.IntentResume:
	}
	return nil
}

// call is what is asked of a processor.
type call func(context.Context) (billing.Fact, error)

// prepare reads what a call is about. It fails with errMoot.
func (s *Service) prepare(ctx context.Context, i billing.Intent) (call, error) {
	to, err := s.Of(i.Account)
	if err != nil {
		return nil, err
	}
	switch i.Kind {
	case billing.IntentCheckout:
		return s.prepareCheckout(ctx, to, i)
	case billing.IntentRefund:
		return s.prepareRefund(ctx, to, i)
	case billing.IntentCancel, billing.IntentResume:
		return s.prepareSubscription(ctx, to, i)
	}
	return nil, fmt.Errorf("no call is of the kind %q", i.Kind)
}

func (s *Service) prepareRefund(ctx context.Context, to ports.Processor, i billing.Intent) (call, error) {
	found, err := s.Sales.Refunds(ctx, ports.SaleQuery{ID: i.Subject})
	if err == nil && (len(found) == 0 || found[0].Remote.ID != "") {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (billing.Fact, error) {
		return to.Changing().Refund(ctx, found[0], i.ID.String())
	}, nil
}

func (s *Service) prepareSubscription(ctx context.Context, to ports.Processor, i billing.Intent) (call, error) {
	sub, err := s.Sales.Subscription(ctx, billing.SubscriptionID(i.Subject))
	if errors.Is(err, billing.ErrNoSubscription) || (err == nil && sub.Status == billing.Ended) {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (billing.Fact, error) {
		if i.Kind == billing.IntentResume {
			return to.Changing().ResumeSubscription(ctx, sub.Remote.ID, i.ID.String())
		}
		return to.Changing().CancelSubscription(ctx, sub.Remote.ID, i.AtPeriodEnd, i.ID.String())
	}, nil
}

func (s *Service) prepareCheckout(ctx context.Context, to ports.Processor, i billing.Intent) (call, error) {
	of, err := s.Sales.Checkout(ctx, i.CheckoutID)
	if errors.Is(err, billing.ErrNoCheckout) || (err == nil && of.Status != billing.CheckoutPending) {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	env, err := s.surround(ctx, of)
	if err != nil {
		return nil, err
	}
	order := ports.CheckoutOrder{Checkout: of, Price: env.price, Product: env.product.Name, PriceID: env.priceID()}
	return func(ctx context.Context) (billing.Fact, error) {
		return to.Selling().CreateCheckout(ctx, order, i.ID.String())
	}, nil
}
