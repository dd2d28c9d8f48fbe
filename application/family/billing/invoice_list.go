package billing

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// InvoiceListParams are the parameters of BILLING.INVOICE_LIST.
type InvoiceListParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id,omitzero" doc:"Filter by subscription." example:"-"`
	Status         billing.InvoiceStatus  `json:"status,omitzero" doc:"Filter by status." jsonschema:"enum=open,enum=paid,enum=void,enum=uncollectible" example:"-"`
	OrgID          workspace.ID           `json:"org_id,omitzero" doc:"Workspace whose invoices to list, as buyer and as seller. Requires billing:read in that workspace. Omit to list your own." example:"-"`
	From           time.Time              `json:"from,omitzero" doc:"List only invoices received at or after this time." example:"-"`
	To             time.Time              `json:"to,omitzero" doc:"List only invoices received before this time." example:"-"`
	page.Params
}

// Invoice is an invoice in results.
type Invoice struct {
	ID          billing.InvoiceID     `json:"id" doc:"ID of the invoice."`
	Number      string                `json:"number" doc:"Invoice number as printed on the invoice."`
	CheckoutID  billing.CheckoutID    `json:"checkout_id" doc:"ID of the checkout of the purchase."`
	ProductID   product.ID            `json:"product_id" doc:"ID of the product."`
	CustomerID  billing.CustomerID    `json:"customer_id" doc:"ID of the customer."`
	Status      billing.InvoiceStatus `json:"status" doc:"Status of the invoice." jsonschema:"enum=open,enum=paid,enum=void,enum=uncollectible"`
	Currency    money.Currency        `json:"currency" doc:"ISO 4217 currency code. All amounts are in minor units of this currency."`
	Subtotal    int64                 `json:"subtotal" doc:"Sum of the lines, in minor units."`
	Discount    int64                 `json:"discount" doc:"Discount, in minor units."`
	Tax         int64                 `json:"tax" doc:"Tax as reported by the payment processor, in minor units."`
	Total       int64                 `json:"total" doc:"Total amount due, in minor units."`
	PeriodStart time.Time             `json:"period_start,omitzero" doc:"Start of the billed period."`
	PeriodEnd   time.Time             `json:"period_end,omitzero" doc:"End of the billed period."`
	IssuedAt    time.Time             `json:"issued_at" doc:"When the invoice was issued."`
	PaidAt      time.Time             `json:"paid_at,omitzero" doc:"When the invoice was paid."`
}

func showInvoice(s billing.InvoiceSnapshot) Invoice {
	return Invoice{
		ID: s.ID, Number: s.Number, CheckoutID: s.CheckoutID, ProductID: s.ProductID, CustomerID: s.CustomerID, Status: s.Status,
		Currency: s.Total.Currency, Subtotal: s.Subtotal, Discount: s.Discount, Tax: s.Tax, Total: s.Total.Minor,
		PeriodStart: s.PeriodStart, PeriodEnd: s.PeriodEnd, IssuedAt: s.IssuedAt, PaidAt: s.PaidAt,
	}
}

func (s *Service) invoiceList() command.Definition {
	return command.Define(command.Spec[InvoiceListParams, page.Of[Invoice]]{
		Name:        "BILLING.INVOICE_LIST",
		Summary:     "List invoices, newest first.",
		Description: "Lists your own invoices. With `org_id`, lists the invoices that workspace received, and the invoices for products it sold.",
		Access:      access.User(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p InvoiceListParams) (page.Of[Invoice], error) {
			query, err := s.invoicesOf(ctx, call.Caller, p)
			if err != nil {
				return page.Of[Invoice]{}, err
			}
			scope := fmt.Sprintf("BILLING.INVOICE_LIST|%s|%s|%s|%s|%s|%s", call.Caller.User, p.OrgID, p.SubscriptionID, p.Status, query.From, query.Until)
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.InvoiceSnapshot) string { return one.ID.String() }, showInvoice,
				func(before string, most int) ([]billing.InvoiceSnapshot, error) {
					query.Before, query.Limit = before, most
					return s.Sales.Invoices(ctx, query)
				})
		},
	})
}

// invoicesOf returns which invoices a caller asks for.
func (s *Service) invoicesOf(ctx context.Context, caller access.Caller, p InvoiceListParams) (commerce.SaleQuery, error) {
	query, err := within(caller, p.OrgID, "")
	if err == nil && p.SubscriptionID != "" {
		var of billing.SubscriptionSnapshot
		if of, err = s.Sales.Subscription(ctx, p.SubscriptionID); err == nil && !sees(caller, of.Sale) {
			err = billing.ErrNoSubscription
		}
		query.Checkout = of.CheckoutID
	}
	query.Status = string(p.Status)
	if !p.From.IsZero() {
		query.From = billing.EarliestInvoice(p.From).String()
	}
	if !p.To.IsZero() {
		query.Until = billing.EarliestInvoice(p.To).String()
	}
	return query, err
}
