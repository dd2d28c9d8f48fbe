package billing

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/workspace"
)

const (
	// ReportEvery is the maximum delay of usage reports to a processor.
	ReportEvery = time.Hour
	// UseLife is how long the name of a use is kept, under which it is counted once.
	UseLife = 90 * 24 * time.Hour
	// ahead is the tolerated clock difference to processors and reporters.
	ahead = 5 * time.Minute
)

// KindUsageRecorded is the kind of event of a use.
const KindUsageRecorded event.Kind = "usage.recorded"

// Errors of usage.
var (
	ErrMeter     = fault.Unfit("/meter", "does not match the meter of the subscription's price")
	ErrUsedWhen  = fault.Unfit("/at", "must be in the current billing period and not in the future")
	ErrUsedMuch  = fault.Unfit("/quantity", "is too large: the period's total usage and amount must not exceed 9,007,199,254,740,991")
	errUsedNever = fault.New(fault.Validation, "usage cannot be recorded: the subscription is not active")
)

// Usage is the usage of a metered subscription in a period.
type Usage struct {
	SubscriptionID         SubscriptionID
	Meter                  string
	PeriodStart, PeriodEnd time.Time
	// Total is the usage, and Reported the part reported to the processor.
	Total, Reported int64
}

// Used returns the counter of a use, by its time; zero for now. After the end of the
// period known from the processor, the next one is used. It fails with ErrUsedWhen and
// ErrMeter, and for a subscription that does not run.
func (s SubscriptionSnapshot) Used(meter string, by PriceSnapshot, at, now time.Time) (Usage, error) {
	if at.IsZero() {
		at = now
	}
	switch {
	case !s.Running() || s.Status == Paused:
		return Usage{}, errUsedNever
	case by.Model != Metered || by.Meter != meter:
		return Usage{}, ErrMeter
	case at.Before(s.PeriodStart.Add(-ahead)) || at.After(now.Add(ahead)):
		return Usage{}, ErrUsedWhen
	}
	u := Usage{SubscriptionID: s.ID, Meter: meter, PeriodStart: s.PeriodStart, PeriodEnd: s.PeriodEnd}
	if !at.Before(s.PeriodEnd) {
		u.PeriodStart, u.PeriodEnd = s.PeriodEnd, by.Interval.Next(s.PeriodEnd, s.PeriodEnd)
	}
	return u, nil
}

// Plus counts a use. It fails with ErrUsedMuch.
func (u Usage) Plus(quantity int64, by PriceSnapshot) (Usage, error) {
	if quantity > money.Most-u.Total {
		return u, ErrUsedMuch
	}
	u.Total += quantity
	if _, err := by.Total(u.Total); err != nil {
		return u, ErrUsedMuch
	}
	return u, nil
}

// ReportAt returns when usage is reported to the processor: within the hour, and at the
// end of the period.
func (u Usage) ReportAt(now time.Time) time.Time {
	at := now.Add(ReportEvery)
	if u.PeriodEnd.After(now) && u.PeriodEnd.Before(at) {
		return u.PeriodEnd
	}
	return at
}

// UsageRecorded is the content of usage.recorded.
type UsageRecorded struct {
	About

	SubscriptionID SubscriptionID `json:"subscription_id" doc:"ID of the subscription."`
	Meter          string         `json:"meter" doc:"Name of the meter."`
	Quantity       int64          `json:"quantity" doc:"Quantity used."`
	Total          int64          `json:"period_total" doc:"Total quantity used in the period."`
}

// RecordUsage returns the event of a use.
func RecordUsage(of SubscriptionSnapshot, u Usage, quantity int64) UsageRecorded {
	return UsageRecorded{aboutSale(of.Sale), of.ID, u.Meter, quantity, u.Total}
}

// Kind is usage.recorded.
func (UsageRecorded) Kind() event.Kind { return KindUsageRecorded }

// usageEvents describes the kind of event of uses.
func usageEvents() []event.Definition {
	const used, total = 3, 40
	about := About{
		CheckoutID: "chk_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh"), ProductID: "prd_01jd7x9k2mf3q8v5t0abcdefgh",
		CustomerID: "cus_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh",
	}
	return []event.Definition{{
		Summary: "Usage of a metered subscription was recorded.",
		Example: UsageRecorded{about, "sub_01jd7x9k2mf3q8v5t0abcdefgh", "exports", used, total},
	}}
}
