package paddle

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	ports "gatehouse.internal/ports/outbound/billing"
)

// currencies are those that Paddle charges in; the amounts of all are in the minor units of
// ISO 4217 (https://developer.paddle.com/concepts/sell/supported-currencies).
const currencies = "USD EUR GBP JPY AUD CAD CHF CLP HKD SGD SEK ARS BRL CNY COP CZK DKK HUF ILS INR KRW MXN NOK NZD PEN PLN RUB THB TRY TWD UAH VND ZAR"

// The lengths of the description of a price and of its name, in characters.
const shortest, longestLabel = 2, 150

// mostSold is the largest quantity that a price of Paddle may have.
const mostSold = 999_999_999

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// sent is an amount as Paddle takes it. It fails with billing.ErrRefused for a currency that
// Paddle does not charge in.
func sent(a money.Amount) (object, error) {
	if !strings.Contains(currencies, string(a.Currency)) {
		return nil, fmt.Errorf("%w: paddle does not charge in %s", billing.ErrRefused, a.Currency)
	}
	return object{"amount": text(a.Minor), "currency_code": string(a.Currency)}, nil
}

// EnsurePrice returns the price with our identifier in its custom data, of the product that has
// ours in its own.
func (p *Paddle) EnsurePrice(ctx context.Context, order ports.PriceOrder, key string) (string, error) {
	body, err := terms(order)
	if err != nil {
		return "", err
	}
	of := string(order.Price.ProductID)
	var held product
	for one, err := range list[product](ctx, p, "products", url.Values{"include": {"prices"}}, longPage) {
		if err != nil {
			return "", err
		}
		if one.Custom[productKey] == of {
			held = one
			break
		}
	}
	for _, one := range held.Prices {
		if one.Custom[priceKey] == key && one.Custom[standsForKey] == "" {
			return one.ID, nil
		}
	}
	if held.ID == "" {
		made := object{"name": order.Product, "tax_category": "standard", "custom_data": object{productKey: of}}
		if err := p.post(ctx, "products", made, &held); err != nil {
			return "", err
		}
	}
	body["product_id"], body["custom_data"] = held.ID, object{priceKey: key}
	var made named
	err = p.post(ctx, "prices", body, &made)
	return made.ID, err
}

// terms are those of a price. Taxes come on top: what is agreed is without.
func terms(order ports.PriceOrder) (object, error) {
	of := order.Price
	unit, err := sent(of.Unit)
	if err != nil {
		return nil, err
	}
	body := object{
		"description": described(order.Product), "unit_price": unit, "tax_mode": "external", "quantity": object{"minimum": 1, "maximum": mostSold},
	}
	if of.Nickname != "" {
		label := []rune(of.Nickname)
		body["name"] = string(label[:min(len(label), longestLabel)])
	}
	if of.Recurring() {
		body["billing_cycle"] = object{"interval": string(of.Interval), "frequency": 1}
	}
	return body, nil
}

// described is a name that is as long as Paddle wants the description of a price to be.
func described(product string) string {
	return product + strings.Repeat(".", max(0, shortest-len([]rune(product))))
}

// EnsureCoupon returns the discount whose code is our identifier. Nobody enters the code: what
// people enter is ours.
func (p *Paddle) EnsureCoupon(ctx context.Context, of billing.CouponSnapshot, key string) (string, error) {
	by := of.Discount
	body := object{"description": string(of.Code), "recur": by.Duration != billing.ForOnce}
	if by.PercentOff > 0 {
		body["type"], body["amount"] = "percentage", strconv.Itoa(by.PercentOff)
	} else {
		off, err := sent(by.AmountOff)
		if err != nil {
			return "", err
		}
		body["type"], body["amount"], body["currency_code"] = "flat", off["amount"], off["currency_code"]
	}
	return p.ensureDiscount(ctx, strings.ReplaceAll(key, "_", ""), by.Months, body)
}

// ensureDiscount returns the discount with a code, which is made unless it is there, and lasts
// for so many charges where that is not 0.
func (p *Paddle) ensureDiscount(ctx context.Context, code string, charges int, body object) (string, error) {
	for found, err := range list[discount](ctx, p, "discounts", url.Values{"code": {code}}, longPage) {
		if err != nil || found.Code == code {
			return found.ID, err
		}
	}
	body["code"], body["enabled_for_checkout"] = code, false
	if charges > 0 {
		body["maximum_recurring_intervals"] = charges
	}
	var made named
	err := p.post(ctx, "discounts", body, &made)
	return made.ID, err
}

// fitted returns the discount of a coupon for a price. Paddle counts charges where a coupon
// counts months: for a price by the year another one is made, with Y behind its code.
func (p *Paddle) fitted(ctx context.Context, id string, by billing.Discount, of billing.PriceSnapshot) (string, error) {
	const months = 12
	if id == "" || by.Duration != billing.Repeating || of.Interval != billing.Year {
		return id, nil
	}
	var held discount
	if err := p.get(ctx, "discounts/"+url.PathEscape(id), nil, &held); err != nil {
		return "", err
	}
	body := object{"description": held.Description, "recur": true, "type": held.Type, "amount": held.Amount}
	if held.Currency != "" {
		body["currency_code"] = held.Currency
	}
	return p.ensureDiscount(ctx, held.Code+"Y", (by.Months+months-1)/months, body)
}

// CreateCheckout makes a transaction, unless one is there that was made for the checkout
// before.
func (p *Paddle) CreateCheckout(ctx context.Context, order ports.CheckoutOrder, _ string) (billing.Fact, error) {
	by, of := view{at: p.options.Clock.Now(), checkout: order.Checkout.CheckoutID}, order.Checkout
	// Clocks differ.
	since := of.CreatedAt.Add(-time.Minute).UTC().Format(time.RFC3339)
	for one, err := range list[transaction](ctx, p, "transactions", url.Values{"created_at[GTE]": {since}, "origin": {"api"}}, transactionsPage) {
		if err != nil {
			return billing.Fact{}, err
		}
		if one.sale() == of.CheckoutID {
			return by.page(one), nil
		}
	}
	bought, err := p.item(ctx, order)
	if err != nil {
		return billing.Fact{}, err
	}
	body := object{
		"items": []object{bought}, "currency_code": string(of.Subtotal.Currency), "collection_mode": "automatic",
		"custom_data": object{checkoutKey: of.CheckoutID.String(), subtotalKey: text(of.Subtotal.Minor)},
		"checkout":    object{"url": p.options.Host + PagePath + "/" + of.CheckoutID.String()},
	}
	if order.CustomerID != "" {
		body["customer_id"] = order.CustomerID
	}
	if order.CouponID != "" {
		if body["discount_id"], err = p.fitted(ctx, order.CouponID, of.Discount, order.Price); err != nil {
			return billing.Fact{}, err
		}
	}
	var made transaction
	err = p.post(ctx, "transactions", body, &made)
	return by.page(made), err
}

// item is what a checkout is over: a price by its identifier, or with a trial.
func (p *Paddle) item(ctx context.Context, order ports.CheckoutOrder) (object, error) {
	of := order.Checkout
	if of.TrialDays == 0 {
		return object{"price_id": order.PriceID, "quantity": of.Quantity}, nil
	}
	var held price
	if err := p.get(ctx, "prices/"+url.PathEscape(order.PriceID), nil, &held); err != nil {
		return nil, err
	}
	tried, err := terms(ports.PriceOrder{Price: order.Price, Product: order.Product})
	if err != nil {
		return nil, err
	}
	tried["product_id"], tried["trial_period"] = held.ProductID, object{"interval": "day", "frequency": of.TrialDays}
	tried["custom_data"] = object{priceKey: order.Price.ID.String(), standsForKey: order.PriceID}
	return object{"price": tried, "quantity": of.Quantity}, nil
}

// Complete has nothing left to do: who agrees on the page has paid.
func (p *Paddle) Complete(ctx context.Context, order ports.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return p.Fetch(ctx, order.Checkout.Remote.ID)
}
