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

// ApplyEvent applies a processor event and stores the result. Objects named without
// their state are fetched first. Failures are stored with the reason, and retried
// later; an error is returned only if the result cannot be stored. By hand, it applies
// failed events only, and otherwise fails with billing.ErrApplied.
func (s *Service) ApplyEvent(ctx context.Context, id billing.EventID, byHand bool, pause Pause) (billing.ProcessorEvent, error) {
	received, org, err := s.applied(ctx, id, byHand, pause)
	if err == nil || errors.Is(err, billing.ErrNoEvent) || errors.Is(err, billing.ErrApplied) {
		return received, err
	}
	why := fault.From(err)
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if received, err = tx.ProcessorEvents.ByID(ctx, id); err != nil {
			return err
		}
		received.Status, received.Reason, received.OrgID = billing.EventFailed, "internal error", org
		if why.Public() {
			received.Reason = why.Message
		}
		if byHand {
			received.Attempts++
		}
		again := time.Time{}
		if received.Attempts < billing.MostAttempts {
			again = s.Clock.Now().Add(billing.Retry(received.Attempts))
		}
		return tx.ProcessorEvents.Save(ctx, received, again)
	})
	if err == nil && !why.Public() {
		err = why
	}
	return received, err
}

// applied applies an event in one transaction. It also returns the workspace of the
// sale.
func (s *Service) applied(ctx context.Context, id billing.EventID, byHand bool, pause Pause) (received billing.ProcessorEvent, org workspace.ID, err error) {
	before, err := s.read(ctx, id, byHand)
	if err != nil {
		return received, "", err
	}
	facts, err := s.state(ctx, before, pause)
	if err != nil {
		return received, before.OrgID, err
	}
	around, err := s.around(ctx, before.Account, facts)
	if err != nil {
		return received, "", err
	}
	org = seller(facts, around)
	err = s.Unit.Do(ctx, func(tx Repos) error {
		if received, err = tx.ProcessorEvents.ByID(ctx, id); err != nil {
			return err
		}
		switch {
		case byHand && received.Status != billing.EventFailed:
			return billing.ErrApplied
		case over(received):
			return tx.ProcessorEvents.Save(ctx, received, time.Time{})
		}
		changed, err := s.Apply(ctx, tx, received.Account, facts, around)
		if err != nil {
			return err
		}
		received.Status, received.Reason, received.AppliedAt = billing.EventIgnored, "", s.Clock.Now()
		if changed {
			received.Status = billing.EventApplied
		}
		received.OrgID = org
		if err := tx.Events.Record(ctx, billing.ProcessorEventApplied{EventID: id, OrgID: received.OrgID, From: billing.AnyProcessor(received.Account.Processor), Status: received.Status}); err != nil {
			return err
		}
		return tx.ProcessorEvents.Save(ctx, received, time.Time{})
	})
	return received, org, err
}

// seller returns the workspace of the first sale that facts are about and that is ours; empty
// if there is none.
func seller(facts []billing.Fact, around map[billing.CheckoutID]saleContext) workspace.ID {
	for _, f := range facts {
		if env, known := around[f.CheckoutID]; known {
			return env.product.OrgID
		}
	}
	return ""
}

// read reads an event. By hand, it fails with billing.ErrApplied for one that did not fail.
func (s *Service) read(ctx context.Context, id billing.EventID, byHand bool) (received billing.ProcessorEvent, err error) {
	received, err = s.ProcessorEvents.Find(ctx, id)
	if err == nil && byHand && received.Status != billing.EventFailed {
		err = billing.ErrApplied
	}
	return received, err
}

// over reports whether nothing is left to do about an event.
func over(t billing.ProcessorEvent) bool {
	return t.Status == billing.EventApplied || t.Status == billing.EventIgnored
}

// state returns the facts of an event, with the current state of named objects; none if
// nothing is left to do. It fails with billing.ErrSilent.
func (s *Service) state(ctx context.Context, of billing.ProcessorEvent, pause Pause) (facts []billing.Fact, err error) {
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
