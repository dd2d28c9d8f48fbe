package paypal

import (
	"context"
	"net/url"
	"strconv"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

const (
	// longest is the maximum length of names and descriptions, in characters.
	longest = 127
	// perPage is the maximum size of a page.
	perPage = 20
)

// EnsurePrice returns the plan of a recurring price, and creates it if there is none. For a one-time price it returns
// the key, because an order contains its amount.
func (p *PayPal) EnsurePrice(ctx context.Context, of commerce.PriceOrder, key string) (string, error) {
	if !of.Price.Recurring() {
		return key, nil
	}
	product := of.Price.ProductID.String()
	known, err := p.ensureProduct(ctx, product, of.Product)
	if err != nil {
		return "", err
	}
	if known {
		if id, err := p.planOf(ctx, product, key); err != nil || id != "" {
			return id, err
		}
	}
	due, err := apiAmount(of.Price.Unit)
	if err != nil {
		return "", err
	}
	unit := "MONTH"
	if of.Price.Interval == billing.Year {
		unit = "YEAR"
	}
	var made plan
	err = p.do(ctx, operation{"v1/billing/plans", key, object{
		"product_id": product, "name": payment.Truncate(of.Product, longest), "description": key, "status": "ACTIVE", "quantity_supported": of.Price.Model == billing.PerSeat,
		"billing_cycles": []object{{
			"frequency": object{"interval_unit": unit, "interval_count": 1}, "tenure_type": "REGULAR", "sequence": 1, "total_cycles": 0,
			"pricing_scheme": object{"fixed_price": due},
		}},
		"payment_preferences": object{"auto_bill_outstanding": true, "payment_failure_threshold": 0},
	}}, &made)
	return made.ID, err
}

// ensureProduct creates the product with our identifier, unless there is one, which it reports.
func (p *PayPal) ensureProduct(ctx context.Context, id, name string) (known bool, err error) {
	err = p.get(ctx, "v1/catalogs/products/"+url.PathEscape(id), nil, &struct{}{})
	if !missing(err) {
		return true, err
	}
	return false, p.do(ctx, operation{"v1/catalogs/products", id, object{"id": id, "name": payment.Truncate(name, longest), "type": "DIGITAL", "category": "SOFTWARE"}}, nil)
}

// planOf returns the plan that was created for a price; "" for none.
func (p *PayPal) planOf(ctx context.Context, product, price string) (string, error) {
	for page, more := 1, true; more; page++ {
		var got struct {
			Plans []plan `json:"plans"`
		}
		err := p.get(ctx, "v1/billing/plans", url.Values{
			"product_id": {product}, "page_size": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(page)},
		}, &got)
		if err != nil {
			return "", err
		}
		for _, one := range got.Plans {
			if one.Description == price {
				return one.ID, nil
			}
		}
		more = len(got.Plans) == perPage
	}
	return "", nil
}

// EnsureCoupon fails, because PayPal has no coupons.
func (*PayPal) EnsureCoupon(context.Context, billing.CouponSnapshot, string) (string, error) {
	return "", billing.Unable(Name, billing.CanDiscount)
}

// CreateCheckout creates an order or a subscription for approval. If a retry creates another one after the idempotency
// key expired, the page of the first expires unused.
func (p *PayPal) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, key string) (billing.Fact, error) {
	of := order.Checkout
	m := marks{checkout: of.CheckoutID, price: order.PriceID, quantity: of.Quantity}
	back := object{"return_url": of.SuccessURL, "cancel_url": of.SuccessURL, "shipping_preference": "NO_SHIPPING"}
	if of.CancelURL != "" {
		back["cancel_url"] = of.CancelURL
	}
	if order.Price.Recurring() {
		m.interval = order.Price.Interval
		return p.subscribe(ctx, order, m, back, key)
	}
	due, err := apiAmount(of.Subtotal)
	if err != nil {
		return billing.Fact{}, err
	}
	back["user_action"], back["payment_method_preference"] = "PAY_NOW", "IMMEDIATE_PAYMENT_REQUIRED"
	return p.order(ctx, operation{"v2/checkout/orders", key, object{
		"intent":         "CAPTURE",
		"purchase_units": []object{{"amount": due, "description": payment.Truncate(order.Product, longest), "custom_id": m.String()}},
		"payment_source": object{"paypal": object{"experience_context": back}},
	}})
}

func (p *PayPal) order(ctx context.Context, by operation) (billing.Fact, error) {
	at := p.options.Clock.Now()
	var made order
	err := p.do(ctx, by, &made)
	return ofOrder(made, at).checkoutFact(), err
}

func (p *PayPal) subscribe(ctx context.Context, order commerce.CheckoutOrder, m marks, back object, key string) (billing.Fact, error) {
	of, at := order.Checkout, p.options.Clock.Now()
	back["user_action"], back["payment_method"] = "SUBSCRIBE_NOW", object{"payee_preferred": "IMMEDIATE_PAYMENT_REQUIRED"}
	body := object{"plan_id": order.PriceID, "custom_id": m.String(), "application_context": back}
	if order.Price.Model == billing.PerSeat {
		body["quantity"] = strconv.FormatInt(of.Quantity, 10)
	}
	if of.TrialDays > 0 {
		// Derived from the time of the sale, so that a retry has the same body.
		body["start_time"] = stamp(of.CreatedAt.AddDate(0, 0, of.TrialDays))
	}
	if order.Email != "" {
		body["subscriber"] = object{"email_address": order.Email}
	}
	var made subscription
	if err := p.do(ctx, operation{"v1/billing/subscriptions", key, body}, &made); err != nil {
		return billing.Fact{}, err
	}
	return ofSubscription(made, nil, at).checkoutFact(), nil
}

// Complete captures an approved order, or activates an approved subscription, unless that was done already.
func (p *PayPal) Complete(ctx context.Context, order commerce.CheckoutOrder, key string) ([]billing.Fact, error) {
	id := order.Checkout.Remote.ID
	found, err := p.sale(ctx, id)
	if err != nil {
		return nil, err
	}
	switch {
	case found.order.Status == "APPROVED":
		err = p.do(ctx, operation{orders(id) + "/capture", key, object{}}, nil)
	case found.sub.Status == "APPROVED":
		err = p.do(ctx, operation{path: subscriptions(id, "activate"), body: object{"reason": "Approved"}}, nil)
	default:
		return p.all(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	return p.Fetch(ctx, id)
}
