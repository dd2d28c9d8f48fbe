package payment

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// claimUsage returns at most so many due usage reports: each is a call that is made
// once.
func (s *Service) claimUsage(ctx context.Context, most int) (reports []billing.Intent, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		reports = nil
		now := s.Clock.Now()
		due, err := tx.Usage.Due(ctx, most, now)
		if err != nil {
			return err
		}
		for _, one := range due {
			report, err := s.report(ctx, tx, one, now)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
		return nil
	})
	return reports, err
}

// report stores the call that reports usage since the previous report.
func (s *Service) report(ctx context.Context, tx Repos, u billing.Usage, now time.Time) (billing.Intent, error) {
	sub, err := tx.Subscriptions.ByID(ctx, u.SubscriptionID)
	if err != nil {
		return billing.Intent{}, err
	}
	of := sub.Snapshot()
	at := now
	if !now.Before(u.PeriodEnd) {
		at = u.PeriodEnd.Add(-time.Second)
	}
	i := billing.Intent{
		ID: billing.NewIntentID(s.IDs), Kind: billing.IntentUsage, CheckoutID: of.CheckoutID, Subject: of.ID.String(), Account: of.Account,
		Plan: billing.Plan{Meter: u.Meter, Used: u.Total - u.Reported, Total: u.Total, At: at}, CreatedAt: now,
	}
	if err := tx.Intents.Put(ctx, i, now.Add(billing.Lease)); err != nil {
		return i, err
	}
	u.Reported = u.Total
	return i, tx.Usage.Save(ctx, u, time.Time{})
}

func (s *Service) prepareUsage(ctx context.Context, to commerce.Processor, i billing.Intent, sub billing.SubscriptionSnapshot) (call, error) {
	buyer, err := s.Customers.Find(ctx, commerce.CustomerQuery{ID: sub.CustomerID})
	if errors.Is(err, billing.ErrNoCustomer) {
		err = errMoot
	}
	report := commerce.UsageReport{
		SubscriptionID: sub.Remote.ID, CustomerID: buyer.ProcessorID, Meter: i.Plan.Meter, Quantity: i.Plan.Used, Total: i.Plan.Total, At: i.Plan.At,
	}
	return func(ctx context.Context) ([]billing.Fact, error) {
		return nil, to.Serving().ReportUsage(ctx, report, i.ID.String())
	}, err
}
