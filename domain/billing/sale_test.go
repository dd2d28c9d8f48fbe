package billing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	half, five := billing.Discount{PercentOff: 50}, billing.Discount{AmountOff: euros(500)}
	metered := price(func(s *billing.PriceSnapshot) { s.Model, s.Meter = billing.Metered, "calls" })
	for name, c := range map[string]struct {
		price    billing.PriceSnapshot
		quantity int64
		coupon   billing.Code
		discount billing.Discount
		want     int64
		refused  bool
	}{
		"seats":                         {price(nil), 2, "", half, 3800, false},
		"with a coupon":                 {price(nil), 2, "SPRING", half, 1900, false},
		"with one for more than it is":  {price(nil), 1, "ALL", billing.Discount{AmountOff: euros(9999)}, 0, false},
		"with one of another currency":  {price(func(s *billing.PriceSnapshot) { s.Unit.Currency = "USD" }), 1, "FIVE", five, 0, true},
		"a metered price":               {metered, 1, "", billing.Discount{}, 0, false},
		"more than can be told exactly": {price(nil), money.Most, "", billing.Discount{}, 0, true},
	} {
		made, err := billing.Begin(billing.CheckoutSnapshot{Quantity: c.quantity, Coupon: c.coupon, Discount: c.discount}, c.price, noon)
		if (err != nil) != c.refused {
			t.Errorf("%s: Begin() = %v, want refused: %v", name, err, c.refused)
		}
		if err != nil {
			continue
		}
		s := made.Snapshot()
		if s.Subtotal != money.Of(c.want, c.price.Unit.Currency) || s.Status != billing.CheckoutPending || s.PriceID != c.price.ID {
			t.Errorf("%s: got %v, %s by %s, want %d, pending by %s", name, s.Subtotal, s.Status, s.PriceID, c.want, c.price.ID)
		}
		if got, want := kinds(t, made.Stored()), []event.Kind{billing.KindCheckoutCreated}; !slices.Equal(got, want) {
			t.Errorf("%s: got events %v, want %v", name, got, want)
		}
	}
}

// A checkout that the processor did not take fails while it is pending, and at no other time.
func TestCheckoutFails(t *testing.T) {
	t.Parallel()
	for status, c := range map[billing.CheckoutStatus]struct {
		fails bool
		after billing.CheckoutStatus
		over  bool
	}{
		billing.CheckoutPending: {true, billing.CheckoutFailed, true}, billing.CheckoutOpen: {false, billing.CheckoutOpen, false},
		billing.CheckoutCompleted: {false, billing.CheckoutCompleted, false}, billing.CheckoutExpired: {false, billing.CheckoutExpired, true},
		billing.CheckoutFailed: {false, billing.CheckoutFailed, true},
	} {
		held := billing.RestoreCheckout(billing.CheckoutSnapshot{Status: status}, 1)
		if got := held.Fail(); got != c.fails || held.Snapshot().Status != c.after || held.Over() != c.over {
			t.Errorf("Fail() of one that is %s = %v and it is %s, over %v, want %v, %s, %v", status, got, held.Snapshot().Status, held.Over(), c.fails, c.after, c.over)
		}
	}
}

// A refund that the processor did not take fails while it is pending, and at no other time.
func TestRefundFails(t *testing.T) {
	t.Parallel()
	for status, told := range map[billing.RefundStatus][]event.Kind{
		billing.RefundPending: {billing.KindRefundFailed}, billing.RefundSucceeded: nil, billing.RefundFailed: nil,
	} {
		r := billing.RestoreRefund(billing.RefundSnapshot{Status: status}, 1)
		r.Fail("why")
		want := status
		if status == billing.RefundPending {
			want = billing.RefundFailed
		}
		if got := r.Snapshot().Status; got != want {
			t.Errorf("Fail() of one that is %s: got %s, want %s", status, got, want)
		}
		if got := kinds(t, r.Stored()); !slices.Equal(got, told) {
			t.Errorf("Fail() of one that is %s: got events %v, want %v", status, got, told)
		}
	}
}

// The first fact about a refund that was asked for is taken, though it may say what is known already.
func TestFirstFactOfARefund(t *testing.T) {
	t.Parallel()
	asked := billing.GiveBack("rfd_1", billing.PaymentSnapshot{ID: "pay_1", Remote: billing.Remote{ID: "payment"}, Amount: euros(100)}, euros(40), "why", noon)
	if got, want := kinds(t, asked.Stored()), []event.Kind{billing.KindRefundCreated}; !slices.Equal(got, want) {
		t.Errorf("events of a new refund: got %v, want %v", got, want)
	}
	fact := billing.RefundFact{Status: billing.RefundPending, PaymentID: "payment", Amount: euros(40)}
	if taken, err := asked.Take(billing.Fact{ID: "remote", Refund: &fact}, "EUR"); err != nil || !taken {
		t.Errorf("the first fact: got %v, %v, want it taken", taken, err)
	}
	if taken, err := asked.Take(billing.Fact{ID: "remote", Refund: &fact}, "EUR"); err != nil || taken {
		t.Errorf("the same fact again: got %v, %v, want it ignored", taken, err)
	}
	if s := asked.Snapshot(); s.Remote.ID != "remote" || s.PaymentID != "pay_1" || s.Payment != "payment" || s.Amount != euros(40) {
		t.Errorf("the refund: got %+v, want 40 of payment", s)
	}
}

// No more is given back than was paid, less what was given or is under way.
func TestRefundable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status        billing.PaymentStatus
		amount, given int64
		want          int64
		refused       bool
	}{
		"all of it":                      {billing.PaymentSucceeded, 0, 0, 100, false},
		"the rest":                       {billing.PaymentSucceeded, 0, 30, 70, false},
		"a part":                         {billing.PaymentSucceeded, 70, 30, 70, false},
		"more than the rest":             {billing.PaymentSucceeded, 71, 30, 0, true},
		"a part where nothing is left":   {billing.PaymentSucceeded, 1, 100, 0, true},
		"the rest where nothing is left": {billing.PaymentSucceeded, 0, 100, 0, true},
		"the rest where too much went":   {billing.PaymentSucceeded, 0, 101, 0, true},
		"less than nothing":              {billing.PaymentSucceeded, -1, 0, 0, true},
		"of one that is pending":         {billing.PaymentPending, 0, 0, 0, true},
		"of one that failed":             {billing.PaymentFailed, 10, 0, 0, true},
	} {
		s := billing.PaymentSnapshot{Status: c.status, Amount: euros(100)}
		got, err := s.Refundable(c.amount, c.given)
		if (err != nil) != c.refused || err == nil && got != euros(c.want) {
			t.Errorf("%s: Refundable(%d, %d) = %v, %v, want %d, refused: %v", name, c.amount, c.given, got, err, c.want, c.refused)
		}
	}
}

// What may be done with a subscription, in every state.
func TestSubscriptionVerbs(t *testing.T) {
	t.Parallel()
	type result struct{ cancel, atEnd, change, resume error }
	over := result{billing.ErrOver, billing.ErrOver, billing.ErrOver, billing.ErrNotCanceled}
	runs := result{nil, nil, nil, billing.ErrNotCanceled}
	want := map[billing.SubscriptionStatus]result{
		"": over, billing.Incomplete: over, billing.Trialing: runs, billing.Active: runs, billing.PastDue: runs, billing.Paused: runs,
		billing.Canceled: {nil, billing.ErrOver, billing.ErrOver, nil}, billing.Ended: over,
	}
	for _, status := range append(billing.SubscriptionStatuses(), "") {
		s := billing.RestoreSubscription(billing.SubscriptionSnapshot{Status: status, Coupons: []billing.Code{"SPRING"}}, 1)
		expected, said := want[status]
		if !said {
			t.Errorf("a subscription that is %q: the table says nothing", status)
		}
		for verb, c := range map[string]struct{ got, want error }{
			"cancel at the end": {s.MayCancel(true, "why"), expected.atEnd},
			"cancel at once":    {s.MayCancel(false, "why"), expected.cancel},
			"change":            {s.MayChange(""), expected.change},
			"change, discount":  {s.MayChange("SUMMER"), expected.change},
			"resume":            {s.MayResume(), expected.resume},
		} {
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s while it is %q: got %v, want %v", verb, status, c.got, c.want)
			}
		}
		if got, want := s.Snapshot().Reason == "why", expected.cancel == nil; got != want {
			t.Errorf("the reason is kept while it is %q: got %v, want %v", status, got, want)
		}
	}
}

// A coupon that held once would hold for ever if each change could name it again.
func TestCouponsOfASubscription(t *testing.T) {
	t.Parallel()
	of := billing.CheckoutSnapshot{PriceID: "pri_1", Quantity: 2, Coupon: "SPRING", Discount: billing.Discount{PercentOff: 50}}
	s := billing.Subscribe("sub_1", of, noon)
	fact := billing.SubscriptionFact{Status: billing.Active, Quantity: 2}
	if taken, err := s.Take(billing.Fact{ID: "remote", At: noon, Subscription: &fact}, billing.PriceRef{ID: "pri_2", ProductID: "prd_2"}); err != nil || !taken {
		t.Fatalf("Take() = %v, %v, want it taken", taken, err)
	}
	s.Redeemed("SUMMER", billing.Discount{PercentOff: 10})
	for coupon, want := range map[billing.Code]error{"": nil, "SPRING": billing.ErrCouponOver, "SUMMER": billing.ErrCouponOver, "AUTUMN": nil} {
		if err := s.MayChange(coupon); !errors.Is(err, want) {
			t.Errorf("MayChange(%q) = %v, want %v", coupon, err, want)
		}
	}
	if got := s.Snapshot(); got.Discount.PercentOff != 10 || got.PriceID != "pri_2" || got.ProductID != "prd_2" {
		t.Errorf("the subscription: got %+v, want 10 %% off the other price", got)
	}
	if got := billing.Subscribe("sub_2", billing.CheckoutSnapshot{}, noon).Snapshot().Coupons; len(got) != 0 {
		t.Errorf("coupons of a sale without one: got %v, want none", got)
	}
}

func TestCustomers(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	c := billing.Meet(billing.CustomerSnapshot{ID: "cus_1", Name: "Ada", Address: billing.Address{PostalCode: "10115", City: "Berlin", Country: "DE"}}, noon)
	if got, want := c.Snapshot().Lines(), []string{"Ada", "10115 Berlin", "DE"}; !slices.Equal(got, want) {
		t.Errorf("Lines() = %q, want %q", got, want)
	}
	for name, one := range map[string]struct {
		change billing.CustomerChange
		want   bool
	}{
		"nothing":         {billing.CustomerChange{}, false},
		"the same":        {billing.CustomerChange{Name: text("Ada"), TaxID: text("")}, false},
		"another name":    {billing.CustomerChange{Name: text("Grace")}, true},
		"another address": {billing.CustomerChange{Address: &billing.Address{}}, true},
	} {
		held := billing.RestoreCustomer(c.Snapshot(), 1)
		if got := held.Update(one.change); got != one.want || held.Changed() != one.want {
			t.Errorf("%s: Update() = %v with an event: %v, want %v", name, got, held.Changed(), one.want)
		}
	}
	for _, one := range []struct {
		id   string
		want bool
	}{{"", false}, {"remote", true}, {"remote", false}, {"other", true}} {
		if got := c.Known(one.id); got != one.want {
			t.Errorf("Known(%q) = %v, want %v", one.id, got, one.want)
		}
	}
	c.Visited()
	if got, want := kinds(t, c.Stored()), []event.Kind{billing.KindPortalOpened}; !slices.Equal(got, want) {
		t.Errorf("events of a visit: got %v, want %v", got, want)
	}
}

func TestNumbersOfInvoices(t *testing.T) {
	t.Parallel()
	i := billing.Bill("bin_1", billing.Sale{}, noon)
	i.Call("OURS-1")
	if i.Call("OURS-2"); i.Snapshot().Number != "OURS-1" {
		t.Errorf("Number = %q, want the first one", i.Snapshot().Number)
	}
	if _, err := i.Take(billing.Fact{ID: "remote", At: noon, Invoice: &billing.InvoiceFact{Status: billing.InvoiceOpen, Currency: "EUR", Number: "THEIRS-1"}}, "EUR"); err != nil {
		t.Fatal(err)
	}
	if got := i.Snapshot().Number; got != "THEIRS-1" {
		t.Errorf("Number = %q, want that of the processor", got)
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]time.Duration{
		0: 5 * time.Second, 1: 5 * time.Second, 2: 30 * time.Second, 3: 2 * time.Minute, 4: 10 * time.Minute, 5: time.Hour, 100: time.Hour,
	} {
		if got := billing.Retry(attempts); got != want {
			t.Errorf("Retry(%d) = %v, want %v", attempts, got, want)
		}
	}
}
