package billing_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func up(to int64) *int64 { return &to }

func price(change func(*billing.PriceSnapshot)) billing.PriceSnapshot {
	s := billing.PriceSnapshot{ID: "pri_1", OrgID: "org_1", ProductID: "prd_1", Unit: money.Of(1900, "EUR"), Interval: billing.Month, Model: billing.PerSeat}
	if change != nil {
		change(&s)
	}
	return s
}

func TestPricesThatDoNotHoldTogether(t *testing.T) {
	t.Parallel()
	tiers := []billing.Tier{{UpTo: up(10), UnitAmount: 100}, {UnitAmount: 50}}
	for path, drafts := range map[string][]func(*billing.PriceSnapshot){
		"/currency": {
			func(s *billing.PriceSnapshot) { s.Unit.Currency = "ZZZ" },
			func(s *billing.PriceSnapshot) { s.Unit.Currency = "" },
		},
		"/interval": {
			func(s *billing.PriceSnapshot) { s.Interval, s.TrialDays = billing.Once, 14 },
			func(s *billing.PriceSnapshot) { s.Interval, s.Model, s.Meter = billing.Once, billing.Metered, "calls" },
			func(s *billing.PriceSnapshot) { s.Interval, s.Model, s.Tiers = billing.Once, billing.Tiered, tiers },
		},
		"/tiers": {
			func(s *billing.PriceSnapshot) { s.Tiers = tiers },
			func(s *billing.PriceSnapshot) { s.Model, s.Unit.Minor = billing.Tiered, 0 },
			func(s *billing.PriceSnapshot) { s.Model, s.Unit.Minor, s.Tiers = billing.Tiered, 0, tiers[:1] },
			func(s *billing.PriceSnapshot) {
				s.Model, s.Unit.Minor, s.Tiers = billing.Tiered, 0, []billing.Tier{{UpTo: up(10)}, {UpTo: up(10)}, {}}
			},
			func(s *billing.PriceSnapshot) {
				s.Model, s.Unit.Minor, s.Tiers = billing.Tiered, 0, []billing.Tier{{}, {UpTo: up(10)}}
			},
		},
		"/unit_amount": {func(s *billing.PriceSnapshot) { s.Model, s.Tiers = billing.Tiered, tiers }},
		"/meter": {
			func(s *billing.PriceSnapshot) { s.Model = billing.Metered },
			func(s *billing.PriceSnapshot) { s.Meter = "calls" },
		},
	} {
		for i, draft := range drafts {
			_, err := billing.SetPrice(price(draft), noon)
			if err == nil || fault.From(err).Code != fault.Validation || fault.From(err).Fields[0].Path != path {
				t.Errorf("%s, draft %d: %v", path, i, err)
			}
		}
	}
}

func TestTotals(t *testing.T) {
	t.Parallel()
	tiered := price(func(s *billing.PriceSnapshot) {
		s.Model, s.Unit.Minor = billing.Tiered, 0
		s.Tiers = []billing.Tier{{UpTo: up(5), UnitAmount: 100, FlatAmount: 7}, {UpTo: up(10), UnitAmount: 80}, {UnitAmount: 10, FlatAmount: 1}}
	})
	flat := price(func(s *billing.PriceSnapshot) { s.Model = billing.Flat })
	for _, c := range []struct {
		price    billing.PriceSnapshot
		quantity int64
		want     int64
	}{
		{flat, 1, 1900},
		{price(nil), 3, 5700},
		{tiered, 0, 0},
		{tiered, 1, 107},
		{tiered, 5, 507},
		{tiered, 6, 587},
		{tiered, 12, 928},
	} {
		got, err := c.price.Total(c.quantity)
		if err != nil || got != money.Of(c.want, "EUR") {
			t.Errorf("%d by %s costs %v, %v; want %d", c.quantity, c.price.Model, got, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		price    billing.PriceSnapshot
		quantity int64
	}{
		"two of a flat price":  {flat, 2},
		"beyond what is exact": {price(nil), money.Most},
		"beyond, in one tier": {price(func(s *billing.PriceSnapshot) {
			s.Model, s.Tiers = billing.Tiered, []billing.Tier{{UnitAmount: money.Most}}
		}), 2},
		"beyond, with a charge": {price(func(s *billing.PriceSnapshot) {
			s.Model, s.Tiers = billing.Tiered, []billing.Tier{{UnitAmount: money.Most, FlatAmount: 1}}
		}), 1},
	} {
		if got, err := c.price.Total(c.quantity); err == nil || fault.From(err).Fields[0].Path != "/quantity" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 12, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		interval     billing.Interval
		anchor, from time.Time
		want         time.Time
	}{
		{billing.Month, noon, noon, day(2026, 2, 28)},
		{billing.Month, noon, day(2026, 2, 28), day(2026, 3, 31)},
		{billing.Month, noon, day(2027, 12, 31), day(2028, 1, 31)},
		{billing.Month, noon, day(2028, 1, 31), day(2028, 2, 29)},
		{billing.Year, day(2028, 2, 29), day(2028, 2, 29), day(2029, 2, 28)},
		{billing.Year, day(2028, 2, 29), day(2031, 2, 28), day(2032, 2, 29)},
		{billing.Month, day(2026, 5, 15), day(2026, 5, 15), day(2026, 6, 15)},
	} {
		if got := c.interval.Next(c.anchor, c.from); got != c.want {
			t.Errorf("a %s from %s, begun on %s, ends %s; want %s", c.interval, c.from, c.anchor, got, c.want)
		}
	}
}

func TestPricesNeverChangeWhatTheyCost(t *testing.T) {
	t.Parallel()
	p, err := billing.SetPrice(price(nil), noon)
	if err != nil {
		t.Fatal(err)
	}
	p.Stored()
	active, label := false, "Launch"
	p.Update(billing.PriceChange{Active: &active, Nickname: &label}, noon.Add(time.Hour))
	got := p.Snapshot()
	if got.Active || got.Nickname != label || got.Unit != price(nil).Unit || !got.UpdatedAt.Equal(noon.Add(time.Hour)) || !p.Changed() {
		t.Errorf("updated to %+v", got)
	}
	p.Stored()
	if p.Update(billing.PriceChange{Active: &active}, noon); p.Changed() {
		t.Error("what stays the same is told of")
	}
}
