package paddle

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// currencies are the currencies in which Paddle charges, all in minor units of ISO 4217
// (https://developer.paddle.com/concepts/sell/supported-currencies).
const currencies = "USD EUR GBP JPY AUD CAD CHF CLP HKD SGD SEK ARS BRL CNY COP CZK DKK HUF ILS INR KRW MXN NOK NZD PEN PLN RUB THB TRY TWD UAH VND ZAR"

// The minimum length of the description of a price, and the maximum length of its name, in characters.
const shortest, longestLabel = 2, 150

// maxQuantity is the maximum quantity of a price.
const maxQuantity = 999_999_999

// apiAmount returns an amount in the format of the API. It fails with billing.ErrRefused for a currency in which
// Paddle does not charge.
func apiAmount(a money.Amount) (api.Money, error) {
	if !strings.Contains(currencies, string(a.Currency)) {
		return api.Money{}, billing.NoCurrency(Name, a.Currency)
	}
	return api.Money{Amount: text(a.Minor), CurrencyCode: api.CurrencyCode(a.Currency)}, nil
}

// EnsurePrice returns the price with our identifier in its custom data, and creates it, and its product, if there is
// none.
func (p *Paddle) EnsurePrice(ctx context.Context, order commerce.PriceOrder, key string) (string, error) {
	body, err := priceRequest(order)
	if err != nil {
		return "", err
	}
	of := string(order.Price.ProductID)
	held, err := p.product(ctx, of)
	if err != nil {
		return "", err
	}
	for _, one := range held.Prices {
		if mark(one.CustomData, priceKey) == key && mark(one.CustomData, standsForKey) == "" {
			return one.ID, nil
		}
	}
	body.ProductID, body.CustomData = held.ID, api.CustomData{priceKey: key}
	if held.ID == "" {
		made, err := present(p.api.CreateProduct(ctx, &api.CreateProductRequest{
			Name: order.Product, TaxCategory: api.TaxCategoryStandard, CustomData: api.CustomData{productKey: of},
		}))
		if err != nil {
			return "", err
		}
		body.ProductID = made.ID
	}
	made, err := present(p.api.CreatePrice(ctx, &body))
	return payment.Value(made).ID, err
}

// product returns the product with our identifier in its custom data, with its prices; zero for none.
func (p *Paddle) product(ctx context.Context, of string) (api.Product, error) {
	first, err := p.api.ListProducts(ctx, &api.ListProductsRequest{IncludePrices: true, PerPage: new(longPage)})
	for one, err := range list(ctx, first, err) {
		if err != nil {
			return api.Product{}, err
		}
		if mark(one.CustomData, productKey) == of {
			return *one, nil
		}
	}
	return api.Product{}, nil
}

// priceRequest returns the request that creates a price. Taxes are added to the agreed amount.
func priceRequest(order commerce.PriceOrder) (body api.CreatePriceRequest, err error) {
	of := order.Price
	unit, err := apiAmount(of.Unit)
	if err != nil {
		return body, err
	}
	body = api.CreatePriceRequest{
		Description: described(order.Product), UnitPrice: unit, TaxMode: new(api.TaxModeExternal), Quantity: &api.PriceQuantity{Minimum: 1, Maximum: maxQuantity},
	}
	if of.Nickname != "" {
		body.Name = new(payment.Truncate(of.Nickname, longestLabel))
	}
	if of.Recurring() {
		body.BillingCycle = &api.Duration{Interval: api.Interval(of.Interval), Frequency: 1}
	}
	return body, nil
}

// described returns the name of a product, padded to the minimum length of the description of a price.
func described(product string) string {
	return product + strings.Repeat(".", max(0, shortest-len([]rune(product))))
}

// EnsureCoupon returns the discount whose code is our identifier, and creates it if there is none. Buyers do not
// enter that code, but the code of our coupon.
func (p *Paddle) EnsureCoupon(ctx context.Context, of billing.CouponSnapshot, key string) (string, error) {
	by := of.Discount
	body := api.CreateDiscountRequest{Description: string(of.Code), Recur: new(by.Duration != billing.ForOnce)}
	if by.PercentOff > 0 {
		body.Type, body.Amount = api.DiscountTypePercentage, strconv.Itoa(by.PercentOff)
	} else {
		off, err := apiAmount(by.AmountOff)
		if err != nil {
			return "", err
		}
		body.Type, body.Amount, body.CurrencyCode = api.DiscountTypeFlat, off.Amount, &off.CurrencyCode
	}
	return p.ensureDiscount(ctx, strings.ReplaceAll(key, "_", ""), by.Months, body)
}

// ensureDiscount returns the discount with a code, and creates it if there is none, for so many charges, 0 for all.
func (p *Paddle) ensureDiscount(ctx context.Context, code string, charges int, body api.CreateDiscountRequest) (string, error) {
	if found, err := p.discount(ctx, code); err != nil || found != "" {
		return found, err
	}
	body.Code, body.EnabledForCheckout = &code, new(false)
	if charges > 0 {
		body.MaximumRecurringIntervals = &charges
	}
	made, err := present(p.api.CreateDiscount(ctx, &body))
	if refusedFor(err, codeTaken) {
		// Another checkout has created it meanwhile.
		return p.discount(ctx, code)
	}
	return payment.Value(made).ID, err
}

// discount returns the discount with a code; "" for none.
func (p *Paddle) discount(ctx context.Context, code string) (string, error) {
	first, err := p.api.ListDiscounts(ctx, &api.ListDiscountsRequest{Code: []string{code}, PerPage: new(longPage)})
	for found, err := range list(ctx, first, err) {
		if err != nil {
			return "", err
		}
		if payment.Value(found.Code) == code {
			return found.ID, nil
		}
	}
	return "", nil
}

// discountFor returns the discount of a coupon for a price. A discount of Paddle lasts for a number of charges, and a
// coupon for a number of months: for a yearly price another discount is created, with Y appended to its code.
func (p *Paddle) discountFor(ctx context.Context, id string, by billing.Discount, of billing.PriceSnapshot) (string, error) {
	const months = 12
	if id == "" || by.Duration != billing.Repeating || of.Interval != billing.Year {
		return id, nil
	}
	held, err := present(p.api.GetDiscount(ctx, &api.GetDiscountRequest{DiscountID: url.PathEscape(id)}))
	if err != nil {
		return "", err
	}
	body := api.CreateDiscountRequest{
		Description: held.Description, Recur: new(true), Type: held.Type, Amount: held.Amount, CurrencyCode: held.CurrencyCode,
	}
	return p.ensureDiscount(ctx, payment.Value(held.Code)+"Y", (by.Months+months-1)/months, body)
}

// CreateCheckout returns the transaction of a checkout, and creates it if there is none.
func (p *Paddle) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, _ string) (billing.Fact, error) {
	by, of := view{at: p.options.Clock.Now(), checkout: order.Checkout.CheckoutID}, order.Checkout
	made, err := p.existing(ctx, of)
	if err != nil {
		return billing.Fact{}, err
	}
	if made != nil {
		return by.page(made), nil
	}
	bought, err := p.item(ctx, order)
	if err != nil {
		return billing.Fact{}, err
	}
	body := &api.CreateTransactionRequest{
		Items: []api.CreateTransactionItems{*bought}, CurrencyCode: new(api.CurrencyCode(of.Subtotal.Currency)), CollectionMode: new(api.CollectionModeAutomatic),
		CustomData: api.CustomData{checkoutKey: of.CheckoutID.String(), subtotalKey: text(of.Subtotal.Minor)},
		Checkout:   &api.TransactionCheckout{URL: new(p.options.Host + PagePath + "/" + of.CheckoutID.String())},
	}
	if order.CustomerID != "" {
		body.CustomerID = &order.CustomerID
	}
	if order.CouponID != "" {
		fitted, err := p.discountFor(ctx, order.CouponID, of.Discount, order.Price)
		if err != nil {
			return billing.Fact{}, err
		}
		body.DiscountID = &fitted
	}
	if made, err = present(p.api.CreateTransaction(ctx, body)); err != nil {
		return billing.Fact{}, err
	}
	return by.page(made), nil
}

// existing returns the transaction that was created for a checkout; nil for none.
func (p *Paddle) existing(ctx context.Context, of billing.CheckoutSnapshot) (*api.Transaction, error) {
	// The clock of Paddle may be behind.
	since := of.CreatedAt.Add(-time.Minute)
	first, err := p.api.ListTransactions(ctx, &api.ListTransactionsRequest{
		Origin: []string{string(api.TransactionOriginAPI)}, OrderBy: new("created_at[DESC]"), PerPage: new(transactionsPage),
	})
	for one, err := range list(ctx, first, err) {
		if err != nil {
			return nil, err
		}
		if when(one.CreatedAt).Before(since) {
			break
		}
		if saleOf(one) == of.CheckoutID {
			return one, nil
		}
	}
	return nil, nil
}

// item returns the item of a checkout: the identifier of a price, or a price with a trial.
func (p *Paddle) item(ctx context.Context, order commerce.CheckoutOrder) (*api.CreateTransactionItems, error) {
	of := order.Checkout
	if of.TrialDays == 0 {
		return api.NewCreateTransactionItemsTransactionItemFromCatalog(&api.TransactionItemFromCatalog{PriceID: order.PriceID, Quantity: int(of.Quantity)}), nil
	}
	held, err := present(p.api.GetPrice(ctx, &api.GetPriceRequest{PriceID: url.PathEscape(order.PriceID)}))
	if err != nil {
		return nil, err
	}
	tried, err := priceRequest(commerce.PriceOrder{Price: order.Price, Product: order.Product})
	if err != nil {
		return nil, err
	}
	return api.NewCreateTransactionItemsTransactionItemCreateWithPrice(&api.TransactionItemCreateWithPrice{
		Quantity: int(of.Quantity),
		Price: api.TransactionPriceCreateWithProductID{
			Description: tried.Description, Name: tried.Name, BillingCycle: tried.BillingCycle, TaxMode: *tried.TaxMode, UnitPrice: tried.UnitPrice,
			Quantity: *tried.Quantity, ProductID: held.ProductID, TrialPeriod: &api.Duration{Interval: api.IntervalDay, Frequency: of.TrialDays},
			CustomData: api.CustomData{priceKey: order.Price.ID.String(), standsForKey: order.PriceID},
		},
	}), nil
}

// Complete fetches the sale: a buyer who agrees on the page has paid.
func (p *Paddle) Complete(ctx context.Context, order commerce.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return p.Fetch(ctx, order.Checkout.Remote.ID)
}
