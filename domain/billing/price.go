package billing

import (
	"math"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Bounds of prices.
const (
	// MostPrices is how many prices a product may have, retired ones included.
	MostPrices = 500
	mostTiers  = 50
)

// Errors of prices.
var (
	ErrNoPrice       = fault.New(fault.NotFound, "no such price")
	ErrTooManyPrices = fault.LimitReached("product price", MostPrices, "")
	errCurrency      = fault.Unfit("/currency", "must be an ISO 4217 currency code, such as EUR")
	errOnce          = fault.Unfit("/interval", "must be month or year for tiered or metered prices and prices with a trial")
	errNoTiers       = fault.Unfit("/tiers", "is required for tiered prices and must be omitted for others")
	errTiers         = fault.Unfit("/tiers", "must have increasing up_to values, omitted only in the last tier")
	errTieredAmount  = fault.Unfit("/unit_amount", "must be 0 for tiered prices: set the amount in each tier")
	errMeter         = fault.Unfit("/meter", "is required for metered prices and must be omitted for others")
	errQuantity      = fault.Unfit("/quantity", "must be 1 for flat prices")
	errTooMuch       = fault.Unfit("/quantity", "is too large: the total must not exceed 9,007,199,254,740,991")
)

// Interval is how often a price is charged.
type Interval string

// The intervals.
const (
	Once  Interval = "once"
	Month Interval = "month"
	Year  Interval = "year"
)

// Next returns the end of the period that begins at a time. It is the day of the month on
// which all of it began, or the last one of a shorter month.
func (i Interval) Next(anchor, start time.Time) time.Time {
	const months = 12
	step := map[Interval]int{Month: 1, Year: months}[i]
	since := (start.Year()-anchor.Year())*months + int(start.Month()) - int(anchor.Month())
	first := time.Date(anchor.Year(), anchor.Month()+time.Month(since+step), 1, anchor.Hour(), anchor.Minute(), anchor.Second(), anchor.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchor.Day(), last)-1)
}

// Model is how an amount follows from a quantity.
type Model string

// The models: an amount whatever the quantity, one for each seat, one by tiers of seats, and
// one for each use that is reported.
const (
	Flat    Model = "flat"
	PerSeat Model = "per_seat"
	Tiered  Model = "tiered"
	Metered Model = "metered"
)

// Tier is the price of seats up to a number; each seat costs the price of its own tier.
type Tier struct {
	UpTo       *int64 `json:"up_to,omitzero" doc:"Last seat of the tier. Omit in the last tier, and only there." jsonschema:"minimum=1,maximum=1000000000"`
	UnitAmount int64  `json:"unit_amount" doc:"Amount per seat in the tier, in minor units." jsonschema:"minimum=0,maximum=9007199254740991"`
	FlatAmount int64  `json:"flat_amount,omitzero" doc:"Fixed amount for reaching the tier, in minor units." jsonschema:"minimum=0,maximum=9007199254740991"`
}

// PriceRef names a price and the product that is sold by it.
type PriceRef struct {
	ID        PriceID
	ProductID product.ID
}

// PriceSnapshot is the stored state of a price.
type PriceSnapshot struct {
	ID        PriceID `audit:"id"`
	OrgID     workspace.ID
	ProductID product.ID `audit:"product_id"`
	// Unit is the amount, for each seat or use where the model counts them.
	Unit     money.Amount `audit:"unit"`
	Interval Interval     `audit:"interval"`
	Model    Model        `audit:"model"`
	Tiers    []Tier       `audit:"tiers"`
	// Meter is the name of the meter of a metered price.
	Meter     string `audit:"meter"`
	TrialDays int    `audit:"trial_days"`
	Nickname  string `audit:"nickname"`
	Active    bool   `audit:"active"`
	// ProcessorPriceID is the price at the processor; empty until it is made there.
	ProcessorPriceID     string `audit:"processor_price_id"`
	CreatedAt, UpdatedAt time.Time
}

// Price is one price of a product. What it costs never changes.
type Price struct {
	aggregate.Root
	s PriceSnapshot
}

// SetPrice makes a price; s is all of it but the times. It fails with a validation fault.
func SetPrice(s PriceSnapshot, now time.Time) (*Price, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.Active, s.CreatedAt, s.UpdatedAt = true, now, now
	p := &Price{s: s}
	p.Track(&p.s)
	p.Raise(PriceCreated{PriceID: s.ID, OrgID: s.OrgID, ProductID: s.ProductID, Currency: s.Unit.Currency, UnitAmount: s.Unit.Minor, Interval: s.Interval})
	return p, nil
}

func (s PriceSnapshot) check() error {
	switch {
	case !s.Unit.Currency.Known():
		return errCurrency
	case s.Interval == Once && (s.Model == Tiered || s.Model == Metered || s.TrialDays > 0):
		return errOnce
	case (s.Model == Tiered) != (len(s.Tiers) > 0):
		return errNoTiers
	case s.Model == Tiered && s.Unit.Minor != 0:
		return errTieredAmount
	case (s.Model == Metered) != (s.Meter != ""):
		return errMeter
	}
	return checkTiers(s.Tiers)
}

func checkTiers(tiers []Tier) error {
	if len(tiers) > mostTiers {
		return errTiers
	}
	before := int64(0)
	for i, tier := range tiers {
		last := i == len(tiers)-1
		if (tier.UpTo == nil) != last || (!last && *tier.UpTo <= before) {
			return errTiers
		}
		if !last {
			before = *tier.UpTo
		}
	}
	return nil
}

// RestorePrice returns the price that was stored.
func RestorePrice(s PriceSnapshot, version int64) *Price {
	p := &Price{Root: aggregate.At(version), s: s}
	p.Track(&p.s)
	return p
}

// Snapshot returns the state to store.
func (p *Price) Snapshot() PriceSnapshot { return p.s }

// PriceChange is a partial update of a price; nil fields stay unchanged.
type PriceChange struct {
	Active           *bool
	Nickname         *string
	ProcessorPriceID *string
}

// Update retires or labels the price. What stays the same raises nothing.
func (p *Price) Update(c PriceChange, now time.Time) {
	var changed aggregate.Changes
	aggregate.Put(&changed, "active", &p.s.Active, c.Active)
	aggregate.Put(&changed, "nickname", &p.s.Nickname, c.Nickname)
	aggregate.Put(&changed, "processor_price_id", &p.s.ProcessorPriceID, c.ProcessorPriceID)
	if changed == nil {
		return
	}
	p.s.UpdatedAt = now
	p.Raise(PriceUpdated{PriceID: p.s.ID, OrgID: p.s.OrgID, ProductID: p.s.ProductID, Changed: changed})
}

// Recurring reports whether the price is charged again and again.
func (s PriceSnapshot) Recurring() bool { return s.Interval != Once }

// Total returns the amount of a quantity in one period, before discounts and tax; for a
// metered price the quantity is the usage. It fails with a validation fault.
func (s PriceSnapshot) Total(quantity int64) (money.Amount, error) {
	switch s.Model {
	case Flat:
		if quantity != 1 {
			return money.Amount{}, errQuantity
		}
		return s.Unit, nil
	case Tiered:
		return s.tiered(quantity)
	case PerSeat, Metered:
	}
	total, err := s.Unit.Times(quantity)
	if err != nil {
		return money.Amount{}, errTooMuch
	}
	return total, nil
}

// Upfront returns the amount due at the start of a period: nothing for a metered price,
// which is charged at the end, else the Total. It fails with a validation fault.
func (s PriceSnapshot) Upfront(quantity int64) (money.Amount, error) {
	if s.Model == Metered {
		return money.Of(0, s.Unit.Currency), nil
	}
	return s.Total(quantity)
}

func (s PriceSnapshot) tiered(quantity int64) (money.Amount, error) {
	total := money.Of(0, s.Unit.Currency)
	from := int64(0)
	for _, tier := range s.Tiers {
		if quantity <= from {
			break
		}
		upTo := int64(math.MaxInt64)
		if tier.UpTo != nil {
			upTo = *tier.UpTo
		}
		part, err := money.Of(tier.UnitAmount, s.Unit.Currency).Times(min(quantity, upTo) - from)
		if err == nil {
			part, err = part.Plus(money.Of(tier.FlatAmount, s.Unit.Currency))
		}
		if err == nil {
			total, err = total.Plus(part)
		}
		if err != nil {
			return money.Amount{}, errTooMuch
		}
		from = upTo
	}
	return total, nil
}
