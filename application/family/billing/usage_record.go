package billing

import (
	"cmp"
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
)

// UsageRecordParams are the parameters of BILLING.USAGE_RECORD.
type UsageRecordParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"ID of the subscription. It must have a metered price."`
	Meter          string                 `json:"meter" doc:"Name of the meter, as set on the price." jsonschema:"minLength=1,maxLength=64,example=exports"`
	Quantity       int64                  `json:"quantity" doc:"Quantity used." jsonschema:"minimum=1,maximum=1000000000,example=3"`
	At             time.Time              `json:"at,omitzero" doc:"When the use happened. Must be within the current period. Defaults to now." example:"-"`
	EventID        string                 `json:"event_id,omitzero" doc:"Your own ID for the use. Uses with the same ID are counted only once, for 90 days." jsonschema:"minLength=1,maxLength=128,example=export-4711"`
}

// UsageRecordResult is the result of BILLING.USAGE_RECORD.
type UsageRecordResult struct {
	Recorded    bool  `json:"recorded" doc:"Whether the use was counted. False if it was already counted before."`
	PeriodTotal int64 `json:"period_total" doc:"Total quantity used in the period."`
}

func (s *Service) usageRecord() command.Definition {
	return command.Define(command.Spec[UsageRecordParams, UsageRecordResult]{
		Name:    "BILLING.USAGE_RECORD",
		Summary: "Record usage of a metered subscription.",
		Description: "Set `event_id` to make retries safe: each use is counted only once.\n\n" +
			"The payment processor receives the total within an hour, and when the period ends.",
		Access: access.Client("usage:write"),
		Effect: command.Writes,
		Emits:  []event.Kind{billing.KindUsageRecorded},
		Handle: func(ctx context.Context, call command.Call, p UsageRecordParams) (UsageRecordResult, error) {
			found, err := s.Sales.Subscription(ctx, p.SubscriptionID)
			if err == nil && !call.Caller.Sees(found.OrgID) {
				err = billing.ErrNoSubscription
			}
			if err != nil {
				return UsageRecordResult{}, err
			}
			price, err := s.Prices.Find(ctx, found.PriceID)
			if err != nil {
				return UsageRecordResult{}, err
			}
			var result UsageRecordResult
			err = s.Paying.Do(ctx, func(tx payment.Repos) error {
				result, err = s.count(ctx, tx, found, price, p)
				return err
			})
			return result, err
		},
	})
}

// count counts a use under the lock of its sale.
func (s *Service) count(
	ctx context.Context, tx payment.Repos, found billing.SubscriptionSnapshot, price billing.PriceSnapshot, p UsageRecordParams,
) (UsageRecordResult, error) {
	if _, err := tx.Checkouts.ByID(ctx, found.CheckoutID); err != nil {
		return UsageRecordResult{}, err
	}
	sub, err := tx.Subscriptions.ByID(ctx, found.ID)
	if err != nil {
		return UsageRecordResult{}, err
	}
	now := s.Clock.Now()
	of, err := sub.Snapshot().Used(p.Meter, price, p.At, now)
	if err == nil {
		of, err = tx.Usage.Used(ctx, of)
	}
	if err != nil {
		return UsageRecordResult{}, err
	}
	name := cmp.Or(p.EventID, billing.NewIntentID(s.IDs).String())
	isNew, err := tx.Usage.Note(ctx, found.ID, name, now.Add(billing.UseLife))
	if err != nil || !isNew {
		return UsageRecordResult{PeriodTotal: of.Total}, err
	}
	if of, err = of.Plus(p.Quantity, price); err != nil {
		return UsageRecordResult{}, err
	}
	if err := tx.Usage.Save(ctx, of, of.ReportAt(now)); err != nil {
		return UsageRecordResult{}, err
	}
	return UsageRecordResult{Recorded: true, PeriodTotal: of.Total}, tx.Events.Record(ctx, billing.RecordUsage(sub.Snapshot(), of, p.Quantity))
}
