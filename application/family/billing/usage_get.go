package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

// UsageGetParams are the parameters of BILLING.USAGE_GET.
type UsageGetParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"The subscription."`
	Meter          string                 `json:"meter,omitzero" doc:"Only what this meter counts." jsonschema:"maxLength=64" example:"-"`
	From           time.Time              `json:"from,omitzero" doc:"Periods that began then or later; absent, as to is: the running period." example:"-"`
	To             time.Time              `json:"to,omitzero" doc:"Periods that began before." example:"-"`
}

// UsageGetResult is the result of BILLING.USAGE_GET.
type UsageGetResult struct {
	Items  []Used `json:"items" doc:"What was used, by period and meter; empty for nothing."`
	Period Period `json:"period" doc:"From the beginning of the first to the end of the last period of the items; the running period where there are none."`
}

// Used is what was used in one period.
type Used struct {
	Meter    string `json:"meter" doc:"What is counted."`
	Quantity int64  `json:"quantity" doc:"How much was used."`
	Amount   int64  `json:"amount" doc:"What that costs by the subscription's price, before discounts and tax, in minor units of its currency."`
}

// Period is a time.
type Period struct {
	Start time.Time `json:"start" doc:"When it begins."`
	End   time.Time `json:"end" doc:"When it ends."`
}

func (s *Service) usageGet() command.Definition {
	return command.Define(command.Spec[UsageGetParams, UsageGetResult]{
		Name:    "BILLING.USAGE_GET",
		Summary: "What was used of a subscription that is charged by use, and what it will cost: for its buyer, and for the workspace that bought or sold it with billing:read.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p UsageGetParams) (UsageGetResult, error) {
			found, err := s.Sales.Subscription(ctx, p.SubscriptionID)
			if err == nil && !sees(call.Caller, found.Sale) {
				err = billing.ErrNoSubscription
			}
			if err != nil {
				return UsageGetResult{}, err
			}
			price, err := s.Prices.Find(ctx, found.PriceID)
			if err != nil {
				return UsageGetResult{}, err
			}
			from := p.From
			if from.IsZero() && p.To.IsZero() {
				from = found.PeriodStart
			}
			listed, err := s.Usage.List(ctx, found.ID, from, p.To)
			return showUsage(listed, found, price, p.Meter), err
		},
	})
}

// showUsage shows what was used, by one meter if that is named.
func showUsage(listed []billing.Usage, of billing.SubscriptionSnapshot, price billing.PriceSnapshot, meter string) UsageGetResult {
	result := UsageGetResult{Items: []Used{}, Period: Period{of.PeriodStart, of.PeriodEnd}}
	for _, one := range listed {
		if meter != "" && one.Meter != meter {
			continue
		}
		if len(result.Items) == 0 {
			result.Period.Start = one.PeriodStart
		}
		result.Period.End = one.PeriodEnd
		shown := Used{Meter: one.Meter, Quantity: one.Total}
		// What was counted by a price before a change of plan is charged by that.
		if total, err := price.Total(one.Total); err == nil && price.Meter == one.Meter {
			shown.Amount = total.Minor
		}
		result.Items = append(result.Items, shown)
	}
	return result
}
