package polar

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// The minimum and maximum length of the names of products and meters, in characters.
const (
	shortName, longName = 3, 64
	// basisPoints is the number of basis points in one percent.
	basisPoints = 100
)

// EnsurePrice returns the product with our identifier in its metadata, and creates it if there is none.
func (p *Polar) EnsurePrice(ctx context.Context, order commerce.PriceOrder, key string) (string, error) {
	found, err := p.marked(ctx, "products/", byMetadata(priceKey, key), priceKey, key)
	if err != nil || found != "" {
		return found, err
	}
	price, err := p.price(ctx, order.Price)
	if err != nil {
		return "", err
	}
	body := object{
		"name": name(order.Product), "visibility": "private", "prices": []object{price}, "metadata": object{priceKey: key},
	}
	if order.Price.Recurring() {
		body["recurring_interval"] = string(order.Price.Interval)
	}
	if order.Price.Nickname != "" {
		body["description"] = order.Price.Nickname
	}
	var made namedObject
	err = p.call(ctx, http.MethodPost, "products/", body, &made)
	return made.ID, err
}

// name truncates or pads a name to the length that Polar requires.
func name(of string) string {
	return payment.Truncate(of, longName) + strings.Repeat(".", max(0, shortName-len([]rune(of))))
}

func (p *Polar) price(ctx context.Context, of billing.PriceSnapshot) (object, error) {
	price := object{"price_currency": payment.Lower(of.Unit.Currency)}
	if of.Model == billing.Tiered {
		tiers, err := graduated(of)
		price["amount_type"], price["seat_tiers"] = "seat_based", tiers
		return price, err
	}
	unit, err := payment.Cents(of.Unit)
	if err != nil {
		return nil, err
	}
	switch of.Model {
	case billing.PerSeat:
		price["amount_type"] = "seat_based"
		price["seat_tiers"] = object{"tiers": []object{{"min_seats": 1, "price_per_seat": unit}}}
	case billing.Metered:
		price["amount_type"], price["unit_amount"] = "metered_unit", unit
		price["meter_id"], err = p.meter(ctx, of.Meter)
	default:
		price["amount_type"], price["price_amount"] = "fixed", unit
	}
	return price, err
}

// graduated returns the tiers of a price. It fails with billing.ErrRefused for a tier with a flat amount, which Polar
// does not have.
func graduated(of billing.PriceSnapshot) (object, error) {
	from := int64(1)
	tiers := make([]object, 0, len(of.Tiers))
	for _, one := range of.Tiers {
		unit, err := payment.Cents(money.Of(one.UnitAmount, of.Unit.Currency))
		if err == nil && one.FlatAmount > 0 {
			err = billing.ErrRefused
		}
		if err != nil {
			return nil, err
		}
		tier := object{"min_seats": from, "price_per_seat": unit}
		if one.UpTo != nil {
			tier["max_seats"], from = *one.UpTo, *one.UpTo+1
		}
		tiers = append(tiers, tier)
	}
	return object{"seat_tier_type": "graduated", "tiers": tiers}, nil
}

// meter returns the identifier of the meter of a name, and creates it if there is none. It sums the quantities of the
// events of that name.
func (p *Polar) meter(ctx context.Context, of string) (string, error) {
	found, err := p.marked(ctx, "meters/", byMetadata(meterKey, of), meterKey, of)
	if err != nil || found != "" {
		return found, err
	}
	var made namedObject
	err = p.call(ctx, http.MethodPost, "meters/", object{
		"name": name(of), "metadata": object{meterKey: of}, "aggregation": object{"func": "sum", "property": quantity},
		"filter": object{"conjunction": "and", "clauses": []object{{"property": "name", "operator": "eq", "value": of}}},
	}, &made)
	return made.ID, err
}

// EnsureCoupon returns the discount with our identifier in its metadata, and creates it if there is none. It searches by
// the name, which is the code.
func (p *Polar) EnsureCoupon(ctx context.Context, of billing.CouponSnapshot, key string) (string, error) {
	found, err := p.marked(ctx, "discounts/", url.Values{"query": {string(of.Code)}}, couponKey, key)
	if err != nil || found != "" {
		return found, err
	}
	with := of.Discount
	body := object{"name": string(of.Code), "duration": string(with.Duration), "metadata": object{couponKey: key}}
	if with.Months > 0 {
		body["duration_in_months"] = with.Months
	}
	if with.PercentOff > 0 {
		body["type"], body["basis_points"] = "percentage", with.PercentOff*basisPoints
	} else {
		off, err := payment.Cents(with.AmountOff)
		if err != nil {
			return "", err
		}
		body["type"], body["amounts"] = "fixed", object{payment.Lower(with.AmountOff.Currency): off}
	}
	var made namedObject
	err = p.call(ctx, http.MethodPost, "discounts/", body, &made)
	return made.ID, err
}

// CreateCheckout creates a checkout that is bound to the customer. If a retry creates another one, the page of the first
// expires unused.
func (p *Polar) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, _ string) (billing.Fact, error) {
	at, of := p.options.Clock.Now(), order.Checkout
	buyer, err := p.customer(ctx, order)
	if err != nil {
		return billing.Fact{}, err
	}
	marks := object{checkoutKey: of.CheckoutID.String()}
	body := object{
		"products": []string{order.PriceID}, "currency": payment.Lower(order.Price.Unit.Currency), "success_url": of.SuccessURL,
		"allow_discount_codes": false, "allow_trial": of.TrialDays > 0, "metadata": marks,
	}
	if buyer != "" {
		body["customer_id"], marks[customerKey] = buyer, buyer
	}
	if of.TrialDays > 0 {
		body["trial_interval"], body["trial_interval_count"] = "day", of.TrialDays
	}
	if order.Price.Model == billing.PerSeat || order.Price.Model == billing.Tiered {
		body["seats"], body["min_seats"], body["max_seats"] = of.Quantity, of.Quantity, of.Quantity
	}
	if of.CancelURL != "" {
		body["return_url"] = of.CancelURL
	}
	if order.CouponID != "" {
		body["discount_id"] = order.CouponID
	}
	var made checkout
	err = p.call(ctx, http.MethodPost, "checkouts/", body, &made)
	return view{at: at, checkout: of.CheckoutID}.page(made), err
}

// customer returns the identifier of the customer at Polar, and creates it if there is none. Without it a buyer who enters
// the address of another customer on the page would buy, and see purchases, as that customer. If another customer has
// the address, a team with an owner of that address is created. It returns "" without an email address, which a
// customer of Polar requires; the page then asks for one.
func (p *Polar) customer(ctx context.Context, of commerce.CheckoutOrder) (string, error) {
	ours := of.Checkout.CustomerID.String()
	if of.CustomerID != "" || of.Email == "" {
		return of.CustomerID, nil
	}
	var found customer
	err := p.get(ctx, "customers/external/"+url.PathEscape(ours), nil, &found)
	if !errors.Is(err, billing.ErrRefused) {
		return found.ID, err
	}
	body := object{"type": individual, "external_id": ours, "email": of.Email}
	if of.Name != "" {
		body["name"] = of.Name
	}
	err = p.call(ctx, http.MethodPost, "customers/", body, &found)
	if !errors.Is(err, billing.ErrRefused) {
		return found.ID, err
	}
	delete(body, "email")
	body["type"], body["owner"] = team, object{"email": of.Email, "external_id": ours}
	err = p.call(ctx, http.MethodPost, "customers/", body, &found)
	return found.ID, err
}

// Complete fetches the sale: a buyer who agrees on the page of Polar has paid.
func (p *Polar) Complete(ctx context.Context, order commerce.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return p.Fetch(ctx, order.Checkout.Remote.ID)
}

// moment returns a time in the format of the API.
func moment(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
