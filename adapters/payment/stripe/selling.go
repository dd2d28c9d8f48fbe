package stripe

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	ports "gatehouse.internal/ports/outbound/billing"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

// EnsurePrice returns the price with our identifier as its lookup key.
func (s *Stripe) EnsurePrice(ctx context.Context, order ports.PriceOrder, key string) (string, error) {
	found, err := first[named](ctx, s, "prices", url.Values{"lookup_keys[0]": {key}})
	if err != nil || found.ID != "" {
		return found.ID, err
	}
	fields, err := s.price(ctx, order, key)
	if err != nil {
		return "", err
	}
	err = s.post(ctx, "prices", fields, key, &found)
	return found.ID, err
}

func (s *Stripe) price(ctx context.Context, order ports.PriceOrder, key string) (url.Values, error) {
	of := order.Price
	fields := url.Values{
		"currency": {payment.Lower(of.Unit.Currency)}, "lookup_key": {key}, "metadata[" + priceKey + "]": {key}, "product_data[name]": {order.Product},
	}
	if of.Nickname != "" {
		fields.Set("nickname", of.Nickname)
	}
	if of.Recurring() {
		fields.Set("recurring[interval]", string(of.Interval))
	}
	if of.Model == billing.Tiered {
		fields.Set("billing_scheme", "tiered")
		fields.Set("tiers_mode", "graduated")
		return fields, tiers(of, fields)
	}
	unit, err := payment.Cents(of.Unit)
	if err != nil {
		return nil, err
	}
	fields.Set("unit_amount", number(unit))
	if of.Model == billing.Metered {
		fields.Set("recurring[usage_type]", "metered")
		id, err := s.meter(ctx, of.Meter)
		fields.Set("recurring[meter]", id)
		return fields, err
	}
	return fields, nil
}

func tiers(of billing.PriceSnapshot, fields url.Values) error {
	for i, one := range of.Tiers {
		unit, err := payment.Cents(money.Of(one.UnitAmount, of.Unit.Currency))
		if err != nil {
			return err
		}
		flat, err := payment.Cents(money.Of(one.FlatAmount, of.Unit.Currency))
		if err != nil {
			return err
		}
		tier, last := "tiers["+strconv.Itoa(i)+"]", "inf"
		if one.UpTo != nil {
			last = number(*one.UpTo)
		}
		fields.Set(tier+"[up_to]", last)
		fields.Set(tier+"[unit_amount]", number(unit))
		fields.Set(tier+"[flat_amount]", number(flat))
	}
	return nil
}

// meter returns the identifier of the meter of a name, which is made unless it is there.
func (s *Stripe) meter(ctx context.Context, name string) (string, error) {
	for found, err := range list[meter](ctx, s, "billing/meters", url.Values{"status": {"active"}}) {
		if err != nil || found.EventName == name {
			return found.ID, err
		}
	}
	var made named
	fields := url.Values{"display_name": {name}, "event_name": {name}, "default_aggregation[formula]": {"sum"}}
	err := s.post(ctx, "billing/meters", fields, "meter-"+name, &made)
	return made.ID, err
}

// EnsureCoupon returns the coupon whose identifier is ours.
func (s *Stripe) EnsureCoupon(ctx context.Context, of billing.CouponSnapshot, key string) (string, error) {
	var found named
	err := s.get(ctx, "coupons/"+url.PathEscape(key), nil, &found)
	if !errors.Is(err, billing.ErrRefused) {
		return found.ID, err
	}
	by := of.Discount
	fields := url.Values{"id": {key}, "name": {string(of.Code)}, "duration": {string(by.Duration)}}
	if by.Months > 0 {
		fields.Set("duration_in_months", strconv.Itoa(by.Months))
	}
	if by.PercentOff > 0 {
		fields.Set("percent_off", strconv.Itoa(by.PercentOff))
	} else {
		off, err := payment.Cents(by.AmountOff)
		if err != nil {
			return "", err
		}
		fields.Set("amount_off", number(off))
		fields.Set("currency", payment.Lower(by.AmountOff.Currency))
	}
	err = s.post(ctx, "coupons", fields, key, &found)
	return found.ID, err
}

// CreateCheckout makes a session. One that was made when its key had expired already is a
// page that nobody saw, and expires.
func (s *Stripe) CreateCheckout(ctx context.Context, order ports.CheckoutOrder, key string) (billing.Fact, error) {
	at, of := s.options.Clock.Now(), order.Checkout
	fields := expanding(url.Values{
		"mode": {"payment"}, "client_reference_id": {of.CheckoutID.String()}, "success_url": {of.SuccessURL}, "line_items[0][price]": {order.PriceID},
		// What was agreed is charged in the currency that was agreed.
		"adaptive_pricing[enabled]": {"false"},
	}, "line_items")
	if order.Price.Model != billing.Metered {
		fields.Set("line_items[0][quantity]", number(of.Quantity))
	}
	if of.CancelURL != "" {
		fields.Set("cancel_url", of.CancelURL)
	}
	if order.CouponID != "" {
		fields.Set("discounts[0][coupon]", order.CouponID)
	}
	marked := []string{"", "payment_intent_data", "invoice_creation[invoice_data]"}
	if order.Price.Recurring() {
		fields.Set("mode", "subscription")
		marked = []string{"", "subscription_data"}
		if of.TrialDays > 0 {
			fields.Set("subscription_data[trial_period_days]", strconv.Itoa(of.TrialDays))
		}
	} else {
		fields.Set("invoice_creation[enabled]", "true")
	}
	for _, object := range marked {
		mark(fields, object, of)
	}
	whose(fields, order)
	var made session
	err := s.post(ctx, "checkout/sessions", fields, key, &made)
	return view{at: at, checkout: of.CheckoutID}.session(made), err
}

// mark says in the metadata of an object, "" for the session itself, of what of ours it is.
func mark(fields url.Values, object string, of billing.CheckoutSnapshot) {
	metadata := "metadata"
	if object != "" {
		metadata = object + "[metadata]"
	}
	fields.Set(metadata+"["+checkoutKey+"]", of.CheckoutID.String())
	fields.Set(metadata+"["+subtotalKey+"]", number(of.Subtotal.Minor))
}

// whose says of a session who buys.
func whose(fields url.Values, order ports.CheckoutOrder) {
	if order.CustomerID != "" {
		fields.Set("customer", order.CustomerID)
		return
	}
	if order.Email != "" {
		fields.Set("customer_email", order.Email)
	}
	if !order.Price.Recurring() {
		fields.Set("customer_creation", "always")
	}
}

// Complete has nothing left to do: who agrees on a page of Stripe has paid.
func (s *Stripe) Complete(ctx context.Context, order ports.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return s.Fetch(ctx, order.Checkout.Remote.ID)
}
