package stripe

import (
	"context"
	"errors"
	"strconv"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// EnsurePrice returns the price with our identifier as its lookup key, and creates it if there is none.
func (s *Stripe) EnsurePrice(ctx context.Context, order commerce.PriceOrder, key string) (string, error) {
	found, err := first(s.api.V1Prices.List(ctx, &stripe.PriceListParams{LookupKeys: []*string{&key}}).All(ctx))
	if err != nil || found.ID != "" {
		return found.ID, err
	}
	params, err := s.price(ctx, order, key)
	if err != nil {
		return "", err
	}
	params.SetIdempotencyKey(key)
	made, err := s.api.V1Prices.Create(ctx, params)
	if err != nil {
		return "", apiError(err)
	}
	return made.ID, nil
}

func (s *Stripe) price(ctx context.Context, order commerce.PriceOrder, key string) (*stripe.PriceCreateParams, error) {
	of := order.Price
	unit, err := payment.Cents(of.Unit)
	if err != nil {
		return nil, err
	}
	params := &stripe.PriceCreateParams{
		Currency: new(payment.Lower(of.Unit.Currency)), LookupKey: &key, Metadata: map[string]string{priceKey: key},
		ProductData: &stripe.PriceCreateProductDataParams{Name: &order.Product},
	}
	if of.Nickname != "" {
		params.Nickname = &of.Nickname
	}
	if of.Recurring() {
		params.Recurring = &stripe.PriceCreateRecurringParams{Interval: new(string(of.Interval))}
	}
	switch of.Model {
	case billing.Tiered:
		params.BillingScheme, params.TiersMode = new("tiered"), new("graduated")
		params.Tiers, err = tiers(of)
		return params, err
	case billing.Metered:
		params.Recurring.UsageType = new("metered")
		meter, err := s.meter(ctx, of.Meter)
		params.Recurring.Meter = &meter
		params.UnitAmount = &unit
		return params, err
	case billing.Flat, billing.PerSeat:
	}
	params.UnitAmount = &unit
	return params, nil
}

func tiers(of billing.PriceSnapshot) (all []*stripe.PriceCreateTierParams, err error) {
	for _, one := range of.Tiers {
		unit, err := payment.Cents(money.Of(one.UnitAmount, of.Unit.Currency))
		if err != nil {
			return nil, err
		}
		flat, err := payment.Cents(money.Of(one.FlatAmount, of.Unit.Currency))
		if err != nil {
			return nil, err
		}
		tier := &stripe.PriceCreateTierParams{UnitAmount: &unit, FlatAmount: &flat, UpTo: one.UpTo}
		if one.UpTo == nil {
			tier.UpToInf = new(true)
		}
		all = append(all, tier)
	}
	return all, nil
}

// meter returns the identifier of the meter of a name, and creates it if there is none.
func (s *Stripe) meter(ctx context.Context, name string) (string, error) {
	list := &stripe.BillingMeterListParams{Status: new("active"), ListParams: whole()}
	for found, err := range s.api.V1BillingMeters.List(ctx, list).All(ctx) {
		if err != nil {
			return "", apiError(err)
		}
		if found.EventName == name {
			return found.ID, nil
		}
	}
	params := &stripe.BillingMeterCreateParams{
		DisplayName: &name, EventName: &name, DefaultAggregation: &stripe.BillingMeterCreateDefaultAggregationParams{Formula: new("sum")},
	}
	params.SetIdempotencyKey("meter-" + name)
	made, err := s.api.V1BillingMeters.Create(ctx, params)
	if err != nil {
		return "", apiError(err)
	}
	return made.ID, nil
}

// EnsureCoupon returns the coupon with our identifier, and creates it if there is none.
func (s *Stripe) EnsureCoupon(ctx context.Context, of billing.CouponSnapshot, key string) (string, error) {
	found, err := s.api.V1Coupons.Retrieve(ctx, key, nil)
	if err == nil {
		return found.ID, nil
	}
	if err = apiError(err); !errors.Is(err, billing.ErrRefused) {
		return "", err
	}
	by := of.Discount
	params := &stripe.CouponCreateParams{ID: &key, Name: new(string(of.Code)), Duration: new(string(by.Duration))}
	if by.Months > 0 {
		params.DurationInMonths = new(int64(by.Months))
	}
	if by.PercentOff > 0 {
		params.PercentOff = new(float64(by.PercentOff))
	} else {
		off, err := payment.Cents(by.AmountOff)
		if err != nil {
			return "", err
		}
		params.AmountOff, params.Currency = &off, new(payment.Lower(by.AmountOff.Currency))
	}
	params.SetIdempotencyKey(key)
	if found, err = s.api.V1Coupons.Create(ctx, params); err != nil {
		return "", apiError(err)
	}
	return found.ID, nil
}

// CreateCheckout creates a session. If a retry creates another one after the idempotency key expired, the page of
// the first expires unused.
func (s *Stripe) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, key string) (billing.Fact, error) {
	at, of := s.options.Clock.Now(), order.Checkout
	ours := map[string]string{checkoutKey: of.CheckoutID.String(), subtotalKey: strconv.FormatInt(of.Subtotal.Minor, 10)}
	line := &stripe.CheckoutSessionCreateLineItemParams{Price: &order.PriceID}
	if order.Price.Model != billing.Metered {
		line.Quantity = &of.Quantity
	}
	params := &stripe.CheckoutSessionCreateParams{
		Mode: new("payment"), ClientReferenceID: new(of.CheckoutID.String()), Metadata: ours, SuccessURL: &of.SuccessURL,
		LineItems: []*stripe.CheckoutSessionCreateLineItemParams{line},
		// Charge in the agreed currency, and not in that of the country of the buyer.
		AdaptivePricing: &stripe.CheckoutSessionCreateAdaptivePricingParams{Enabled: new(bool)},
	}
	if of.CancelURL != "" {
		params.CancelURL = &of.CancelURL
	}
	if order.CouponID != "" {
		params.Discounts = []*stripe.CheckoutSessionCreateDiscountParams{{Coupon: &order.CouponID}}
	}
	if order.Price.Recurring() {
		params.Mode = new("subscription")
		params.SubscriptionData = &stripe.CheckoutSessionCreateSubscriptionDataParams{Metadata: ours}
		if of.TrialDays > 0 {
			params.SubscriptionData.TrialPeriodDays = new(int64(of.TrialDays))
		}
	} else {
		params.PaymentIntentData = &stripe.CheckoutSessionCreatePaymentIntentDataParams{Metadata: ours}
		params.InvoiceCreation = &stripe.CheckoutSessionCreateInvoiceCreationParams{
			Enabled: new(true), InvoiceData: &stripe.CheckoutSessionCreateInvoiceCreationInvoiceDataParams{Metadata: ours},
		}
	}
	setCustomer(params, order)
	params.AddExpand("line_items")
	params.SetIdempotencyKey(key)
	made, err := s.api.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return billing.Fact{}, apiError(err)
	}
	return view{at: at, checkout: of.CheckoutID}.session(made), nil
}

// setCustomer sets the customer of a session, or the email address of a new one.
func setCustomer(params *stripe.CheckoutSessionCreateParams, order commerce.CheckoutOrder) {
	switch {
	case order.CustomerID != "":
		params.Customer = &order.CustomerID
		return
	case order.Email != "":
		params.CustomerEmail = &order.Email
	}
	if !order.Price.Recurring() {
		params.CustomerCreation = new("always")
	}
}

// Complete fetches the sale: a buyer who agrees on the page of Stripe has paid.
func (s *Stripe) Complete(ctx context.Context, order commerce.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return s.Fetch(ctx, order.Checkout.Remote.ID)
}
