package billing_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

const day = 24 * time.Hour

// What a sale without a subscription grants, in every state of its checkout and its money.
func TestJudgeOnce(t *testing.T) {
	t.Parallel()
	paid := billing.Money{Paid: euros(100), Payments: 1}
	with := func(change func(*billing.Money)) billing.Money {
		m := paid
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		money    billing.Money
		subtotal int64
		want     billing.Verdict
	}{
		"paid":                      {paid, 100, billing.Verdict{Grant: billing.GrantGiven}},
		"not paid yet":              {billing.Money{}, 100, billing.Verdict{Grant: billing.GrantNone}},
		"free":                      {billing.Money{}, 0, billing.Verdict{Grant: billing.GrantGiven}},
		"refunded":                  {with(func(m *billing.Money) { m.Refunded = euros(100) }), 100, billing.Verdict{Grant: billing.GrantEnded, Why: billing.WhyRefunded}},
		"refunded in part":          {with(func(m *billing.Money) { m.Refunded = euros(99) }), 100, billing.Verdict{Grant: billing.GrantGiven}},
		"disputed":                  {with(func(m *billing.Money) { m.Open = true }), 100, billing.Verdict{Grant: billing.GrantHeld, Why: billing.WhyDisputed}},
		"disputed and refunded":     {with(func(m *billing.Money) { m.Open, m.Refunded = true, euros(100) }), 100, billing.Verdict{Grant: billing.GrantHeld, Why: billing.WhyDisputed}},
		"lost":                      {with(func(m *billing.Money) { m.Lost = true }), 100, billing.Verdict{Grant: billing.GrantEnded, Why: billing.WhyLost}},
		"lost, and disputed anew":   {with(func(m *billing.Money) { m.Lost, m.Open = true, true }), 100, billing.Verdict{Grant: billing.GrantEnded, Why: billing.WhyLost}},
		"a payment of nothing":      {billing.Money{Payments: 1, Paid: euros(0)}, 0, billing.Verdict{Grant: billing.GrantGiven}},
		"a refund without payments": {billing.Money{Refunded: euros(1)}, 100, billing.Verdict{Grant: billing.GrantNone}},
	} {
		for _, status := range []billing.CheckoutStatus{billing.CheckoutPending, billing.CheckoutOpen, billing.CheckoutCompleted, billing.CheckoutExpired, billing.CheckoutFailed} {
			want := c.want
			if status != billing.CheckoutCompleted {
				want = billing.Verdict{Grant: billing.GrantNone}
			}
			of := billing.CheckoutSnapshot{Status: status, Subtotal: euros(c.subtotal)}
			if got := billing.Judge(of, nil, c.money, billing.Terms{}, noon); got != want {
				t.Errorf("%s, the checkout %s: got %+v, want %+v", name, status, got, want)
			}
			// What was given is held rather than left as it is, where nothing supports it any more.
			if of.LicenseID = "lic_1"; want.Grant == billing.GrantNone {
				want = billing.Verdict{Grant: billing.GrantHeld, Why: billing.WhyPastDue}
			}
			if got := billing.Judge(of, nil, c.money, billing.Terms{}, noon); got != want {
				t.Errorf("%s, the checkout %s, with a license: got %+v, want %+v", name, status, got, want)
			}
		}
	}
}

// What a subscription grants, in every state, within its period and grace and after.
func TestJudgeSubscription(t *testing.T) {
	t.Parallel()
	terms := billing.Terms{Recurring: true, GraceDays: 3}
	start, end := noon, noon.Add(30*day)
	given := func(until time.Time) billing.Verdict {
		return billing.Verdict{Grant: billing.GrantGiven, Until: until}
	}
	due := func(until time.Time) billing.Verdict {
		return billing.Verdict{Grant: billing.GrantHeld, Until: until, Why: billing.WhyPastDue}
	}
	none := billing.Verdict{Grant: billing.GrantNone}
	paused, ended := billing.Verdict{Grant: billing.GrantHeld, Why: billing.WhyPaused}, billing.Verdict{Grant: billing.GrantEnded, Why: billing.WhyEnded}
	soon, late := start.Add(3*day), end.Add(3*day)
	for status, c := range map[billing.SubscriptionStatus]map[time.Duration]billing.Verdict{
		billing.Incomplete: {0: none, 40 * day: none},
		billing.Trialing:   {0: given(late), 33*day - 1: given(late), 33 * day: due(late)},
		billing.Active:     {0: given(late), 33*day - 1: given(late), 33 * day: due(late)},
		billing.PastDue:    {0: given(soon), 3*day - 1: given(soon), 3 * day: due(soon)},
		billing.Paused:     {0: paused, 40 * day: paused},
		billing.Canceled:   {0: given(end), 30*day - 1: given(end), 30 * day: due(end)},
		billing.Ended:      {0: ended, 40 * day: ended},
	} {
		for after, want := range c {
			sub := &billing.SubscriptionSnapshot{Status: status, PeriodStart: start, PeriodEnd: end}
			of := billing.CheckoutSnapshot{Status: billing.CheckoutCompleted, Subtotal: euros(100)}
			if got := billing.Judge(of, sub, billing.Money{}, terms, noon.Add(after)); got != want {
				t.Errorf("%s after %v: got %+v, want %+v", status, after, got, want)
			}
			disputed := want
			if want.Grant == billing.GrantGiven {
				disputed.Grant, disputed.Why = billing.GrantHeld, billing.WhyDisputed
			}
			if got := billing.Judge(of, sub, billing.Money{Open: true}, terms, noon.Add(after)); got != disputed {
				t.Errorf("%s after %v, disputed: got %+v, want %+v", status, after, got, disputed)
			}
			lost := billing.Verdict{Grant: billing.GrantEnded, Why: billing.WhyLost}
			if got := billing.Judge(of, sub, billing.Money{Lost: true}, terms, noon.Add(after)); got != lost {
				t.Errorf("%s after %v, lost: got %+v, want %+v", status, after, got, lost)
			}
		}
	}
	of := billing.CheckoutSnapshot{Status: billing.CheckoutCompleted}
	if got := billing.Judge(of, nil, billing.Money{}, terms, noon); got != none {
		t.Errorf("without the subscription: got %+v, want %+v", got, none)
	}
}

// Every reason is one that billing takes back, one that it may reverse, or neither.
func TestReasons(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]struct{ ours, reversible bool }{
		billing.WhyPastDue: {true, false}, billing.WhyPaused: {true, false}, billing.WhyDisputed: {true, false},
		billing.WhyLost: {false, true}, billing.WhyRefunded: {false, true}, billing.WhyEnded: {false, false}, billing.WhyMoved: {false, false},
		"": {false, false}, "A reason of a person's own.": {false, false},
	} {
		if got := billing.Ours(why); got != want.ours {
			t.Errorf("Ours(%q) = %v, want %v", why, got, want.ours)
		}
		if got := billing.Reversible(why); got != want.reversible {
			t.Errorf("Reversible(%q) = %v, want %v", why, got, want.reversible)
		}
	}
}

func TestLookAt(t *testing.T) {
	t.Parallel()
	open := billing.CheckoutSnapshot{Status: billing.CheckoutOpen, ExpiresAt: noon.Add(day)}
	completed := billing.CheckoutSnapshot{Status: billing.CheckoutCompleted, ExpiresAt: noon.Add(day)}
	sub := func(status billing.SubscriptionStatus, end time.Time) *billing.SubscriptionSnapshot {
		return &billing.SubscriptionSnapshot{Status: status, PeriodEnd: end}
	}
	for name, c := range map[string]struct {
		of   billing.CheckoutSnapshot
		sub  *billing.SubscriptionSnapshot
		want time.Time
	}{
		"an open page":                 {open, nil, noon.Add(day + billing.News)},
		"a page that should be over":   {billing.CheckoutSnapshot{Status: billing.CheckoutOpen, ExpiresAt: noon.Add(-billing.News)}, nil, noon.Add(billing.LookAgain)},
		"a page without an end":        {billing.CheckoutSnapshot{Status: billing.CheckoutOpen}, nil, time.Time{}},
		"bought once":                  {completed, nil, time.Time{}},
		"a running period":             {completed, sub(billing.Active, noon.Add(day)), noon.Add(day + billing.News)},
		"a period that should be over": {completed, sub(billing.PastDue, noon.Add(-day)), noon.Add(billing.LookAgain)},
		"a subscription that ended":    {completed, sub(billing.Ended, noon.Add(day)), time.Time{}},
		"one that has not begun":       {completed, sub(billing.Incomplete, noon.Add(day)), time.Time{}},
		"one without a period":         {completed, sub(billing.Active, time.Time{}), time.Time{}},
	} {
		if got := billing.LookAt(c.of, c.sub, noon); !got.Equal(c.want) {
			t.Errorf("%s: LookAt() = %v, want %v", name, got, c.want)
		}
	}
}

// metered is a price for calls, and running a subscription by it since noon.
func metered(t *testing.T) (billing.PriceSnapshot, billing.SubscriptionSnapshot) {
	t.Helper()
	p, err := billing.SetPrice(price(func(s *billing.PriceSnapshot) { s.Model, s.Meter = billing.Metered, "calls" }), noon)
	if err != nil {
		t.Fatal(err)
	}
	return p.Snapshot(), billing.SubscriptionSnapshot{ID: "sub_1", Status: billing.Active, PeriodStart: noon, PeriodEnd: billing.Month.Next(noon, noon)}
}

func TestUsed(t *testing.T) {
	t.Parallel()
	by, running := metered(t)
	next := billing.Month.Next(running.PeriodEnd, running.PeriodEnd)
	now := running.PeriodEnd.Add(time.Hour)
	for name, c := range map[string]struct {
		meter      string
		at         time.Time
		start, end time.Time
		want       error
	}{
		"in the period":             {"calls", noon.Add(day), noon, running.PeriodEnd, nil},
		"a little before it":        {"calls", noon.Add(-5 * time.Minute), noon, running.PeriodEnd, nil},
		"before it":                 {"calls", noon.Add(-5*time.Minute - 1), time.Time{}, time.Time{}, billing.ErrUsedWhen},
		"at its end":                {"calls", running.PeriodEnd, running.PeriodEnd, next, nil},
		"now, in the next":          {"calls", time.Time{}, running.PeriodEnd, next, nil},
		"by a clock that is ahead":  {"calls", now.Add(5 * time.Minute), running.PeriodEnd, next, nil},
		"by one that is far ahead":  {"calls", now.Add(5*time.Minute + 1), time.Time{}, time.Time{}, billing.ErrUsedWhen},
		"of another meter":          {"exports", noon.Add(day), time.Time{}, time.Time{}, billing.ErrMeter},
		"of another meter, too old": {"exports", noon.Add(-day), time.Time{}, time.Time{}, billing.ErrMeter},
	} {
		u, err := running.Used(c.meter, by, c.at, now)
		if !errors.Is(err, c.want) || !u.PeriodStart.Equal(c.start) || !u.PeriodEnd.Equal(c.end) {
			t.Errorf("%s: Used() = %+v, %v, want from %v to %v, %v", name, u, err, c.start, c.end, c.want)
		}
	}
	if _, err := running.Used("", price(nil), noon, noon); !errors.Is(err, billing.ErrMeter) {
		t.Errorf("a use by a price for seats: got %v, want ErrMeter", err)
	}
	runs := map[billing.SubscriptionStatus]bool{billing.Trialing: true, billing.Active: true, billing.PastDue: true, billing.Canceled: true}
	for _, status := range billing.SubscriptionStatuses() {
		s := running
		s.Status = status
		if _, err := s.Used("calls", by, noon, noon); (err == nil) != runs[status] {
			t.Errorf("a use while it is %s: got %v, want counted: %v", status, err, runs[status])
		}
	}
}

func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	by, _ := metered(t)
	by.Unit.Minor = 2
	most := int64(money.Most) / 2
	for name, c := range map[string]struct {
		total, quantity, want int64
		err                   error
	}{
		"the first":         {0, 3, 3, nil},
		"another":           {3, 4, 7, nil},
		"as many as may":    {0, most, most, nil},
		"an amount beyond":  {0, most + 1, 0, billing.ErrUsedMuch},
		"a number beyond":   {1, money.Most, 1, billing.ErrUsedMuch},
		"less than nothing": {0, -1, 0, billing.ErrUsedMuch},
	} {
		got, err := billing.Usage{Total: c.total}.Plus(c.quantity, by)
		if !errors.Is(err, c.err) || err == nil && got.Total != c.want {
			t.Errorf("%s: Plus(%d) to %d = %d, %v, want %d, %v", name, c.quantity, c.total, got.Total, err, c.want, c.err)
		}
	}
	for end, want := range map[time.Duration]time.Duration{day: time.Hour, time.Minute: time.Minute, 0: time.Hour, -day: time.Hour, time.Hour: time.Hour} {
		if got := (billing.Usage{PeriodEnd: noon.Add(end)}).ReportAt(noon); !got.Equal(noon.Add(want)) {
			t.Errorf("ReportAt() %v before the end of the period = %v, want %v", end, got, noon.Add(want))
		}
	}
	told := billing.RecordUsage(billing.SubscriptionSnapshot{ID: "sub_1"}, billing.Usage{Meter: "calls", Total: 40}, 3)
	if told.Quantity != 3 || told.Total != 40 || told.Kind() != billing.KindUsageRecorded {
		t.Errorf("RecordUsage() = %+v, want 3 of 40", told)
	}
}
