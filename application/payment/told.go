package payment

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ApplyTold applies an event that a processor told of, and stores what became of it. What
// fails is kept with the reason, and applied again later; only what cannot be stored is an
// error. By hand, one that failed is applied whenever it is asked for: it fails with
// billing.ErrApplied for another.
func (s *Service) ApplyTold(ctx context.Context, id billing.EventID, byHand bool) (billing.Told, error) {
	told, org, err := s.applied(ctx, id, byHand)
	if err == nil || errors.Is(err, billing.ErrNoEvent) || errors.Is(err, billing.ErrApplied) {
		return told, err
	}
	why := fault.From(err)
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if told, err = tx.Told.ByID(ctx, id); err != nil {
			return err
		}
		told.Status, told.Reason, told.OrgID = billing.ToldFailed, "internal error", org
		if why.Told() {
			told.Reason = why.Message
		}
		if byHand {
			told.Attempts++
		}
		again := time.Time{}
		if told.Attempts < billing.MostAttempts {
			again = s.Clock.Now().Add(billing.Retry(told.Attempts))
		}
		return tx.Told.Save(ctx, told, again)
	})
	if err == nil && !why.Told() {
		err = why
	}
	return told, err
}

// applied applies an event in one transaction. It also returns whose sale the event is about.
func (s *Service) applied(ctx context.Context, id billing.EventID, byHand bool) (told billing.Told, org workspace.ID, err error) {
	var before billing.Told
	err = s.Unit.Do(ctx, func(tx Repos) error {
		before, err = tx.Told.ByID(ctx, id)
		return err
	})
	if err != nil {
		return told, "", err
	}
	around, err := s.around(ctx, before.Account, before.Facts)
	if err != nil {
		return told, "", err
	}
	for _, one := range around {
		org = one.product.OrgID
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if told, err = tx.Told.ByID(ctx, id); err != nil {
			return err
		}
		done := told.Status == billing.ToldApplied || told.Status == billing.ToldIgnored
		switch {
		case byHand && told.Status != billing.ToldFailed:
			return billing.ErrApplied
		case done:
			return tx.Told.Save(ctx, told, time.Time{})
		}
		changed, err := s.Apply(ctx, tx, told.Account, told.Facts, around)
		if err != nil {
			return err
		}
		told.Status, told.Reason, told.AppliedAt = billing.ToldIgnored, "", s.Clock.Now()
		if changed {
			told.Status = billing.ToldApplied
		}
		told.OrgID = org
		if err := tx.Events.Record(ctx, billing.ToldAppliedEvent{EventID: id, OrgID: told.OrgID, From: told.Account.Processor, Status: told.Status}); err != nil {
			return err
		}
		return tx.Told.Save(ctx, told, time.Time{})
	})
	return told, org, err
}
