package payment

import (
	"context"
	"errors"

	"gatehouse.internal/domain/billing"
)

// mend fetches a sale for which the processor's reports are overdue.
func (s *Service) mend(ctx context.Context, id billing.CheckoutID) {
	ctx = context.WithoutCancel(ctx)
	of, err := s.Sales.Checkout(ctx, id)
	if err == nil {
		_, err = s.Mend(ctx, of, atOnce)
	}
	if err != nil && !errors.Is(err, billing.ErrNoCheckout) {
		s.Logger.WarnContext(ctx, "failed to sync a sale with its payment processor", "checkout_id", id.String(), "cause", err)
	}
}

// looked stores when a sale that has not changed is looked at again.
func (s *Service) looked(ctx context.Context, tx Repos, id billing.CheckoutID) error {
	held, err := tx.Checkouts.ByID(ctx, id)
	if err != nil {
		return err
	}
	sub, err := subscription(ctx, tx, id)
	if err != nil {
		return err
	}
	return tx.Checkouts.Look(ctx, id, billing.LookAt(held.Snapshot(), sub, s.Clock.Now()))
}

// Mend fetches a sale from its processor and applies the facts. It reports whether
// anything changed, and fails with billing.ErrSilent.
func (s *Service) Mend(ctx context.Context, of billing.CheckoutSnapshot, pause Pause) (changed bool, err error) {
	if of.Remote.ID == "" {
		return false, nil
	}
	from, err := s.Of(of.Account)
	if err != nil {
		return false, err
	}
	var facts []billing.Fact
	err = pause(func() error {
		outside, cancel := away(ctx, s.Patience)
		defer cancel()
		facts, err = from.Selling().Fetch(outside, of.Remote.ID)
		return err
	})
	if err != nil {
		return false, billing.ErrSilent.Because(err)
	}
	if err := about(of.CheckoutID, facts); err != nil {
		return false, err
	}
	around, err := s.around(ctx, of.Account, facts)
	if err != nil {
		return false, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if changed, err = s.Apply(ctx, tx, of.Account, facts, around); err != nil || changed {
			return err
		}
		return s.looked(ctx, tx, of.CheckoutID)
	})
	return changed, err
}
