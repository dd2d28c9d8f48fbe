package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// ApplyTold applies a processor event and stores the result. Objects named without
// their state are fetched first. Failures are stored with the reason, and retried
// later; an error is returned only if the result cannot be stored. By hand, it applies
// failed events only, and otherwise fails with billing.ErrApplied.
func (s *Service) ApplyTold(ctx context.Context, id billing.EventID, byHand bool, pause Pause) (billing.Told, error) {
	told, org, err := s.applied(ctx, id, byHand, pause)
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

// applied applies an event in one transaction. It also returns the workspace of the
// sale.
func (s *Service) applied(ctx context.Context, id billing.EventID, byHand bool, pause Pause) (told billing.Told, org workspace.ID, err error) {
	before, err := s.read(ctx, id, byHand)
	if err != nil {
		return told, "", err
	}
	facts, err := s.state(ctx, before, pause)
	if err != nil {
		return told, before.OrgID, err
	}
	around, err := s.around(ctx, before.Account, facts)
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
		switch {
		case byHand && told.Status != billing.ToldFailed:
			return billing.ErrApplied
		case over(told):
			return tx.Told.Save(ctx, told, time.Time{})
		}
		changed, err := s.Apply(ctx, tx, told.Account, facts, around)
		if err != nil {
			return err
		}
		told.Status, told.Reason, told.AppliedAt = billing.ToldIgnored, "", s.Clock.Now()
		if changed {
			told.Status = billing.ToldApplied
		}
		told.OrgID = org
		if err := tx.Events.Record(ctx, billing.ToldAppliedEvent{EventID: id, OrgID: told.OrgID, From: billing.AnyProcessor(told.Account.Processor), Status: told.Status}); err != nil {
			return err
		}
		return tx.Told.Save(ctx, told, time.Time{})
	})
	return told, org, err
}

// read reads an event. By hand, it fails with billing.ErrApplied for one that did not fail.
func (s *Service) read(ctx context.Context, id billing.EventID, byHand bool) (told billing.Told, err error) {
	told, err = s.Told.Find(ctx, id)
	if err == nil && byHand && told.Status != billing.ToldFailed {
		err = billing.ErrApplied
	}
	return told, err
}

// over reports whether nothing is left to do about an event.
func over(t billing.Told) bool {
	return t.Status == billing.ToldApplied || t.Status == billing.ToldIgnored
}

// state returns the facts of an event, with the current state of named objects; none if
// nothing is left to do. It fails with billing.ErrSilent.
func (s *Service) state(ctx context.Context, of billing.Told, pause Pause) (facts []billing.Fact, err error) {
	if over(of) {
		return nil, nil
	}
	for _, one := range of.Facts {
		if one.Named == nil {
			facts = append(facts, one)
			continue
		}
		from, err := s.Of(of.Account)
		if err != nil {
			return nil, err
		}
		by, ok := from.Hooks().(commerce.Looking)
		if !ok {
			return nil, fmt.Errorf("%s sent an event about %s but has no way to look it up", of.Account.Processor, one.Named.Kind)
		}
		err = pause(func() error {
			outside, cancel := away(ctx, s.Patience)
			defer cancel()
			found, err := by.Look(outside, one.ID, *one.Named)
			facts = append(facts, found...)
			return err
		})
		switch {
		case errors.Is(err, billing.ErrRefused):
			return nil, err
		case err != nil:
			return nil, billing.ErrSilent.Because(err)
		}
	}
	return facts, nil
}
