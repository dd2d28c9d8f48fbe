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
	ports "gatehouse.internal/ports/outbound/billing"
)

// InvoiceListParams are the parameters of BILLING.INVOICE_LIST.
type InvoiceListParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id,omitzero" doc:"Only invoices of this subscription." example:"-"`
	Status         billing.InvoiceStatus  `json:"status,omitzero" doc:"Only invoices in this state." jsonschema:"enum=open,enum=paid,enum=void,enum=uncollectible" example:"-"`
	OrgID          workspace.ID           `json:"org_id,omitzero" doc:"Those for a workspace of yours, and those of its products, with billing:read there; absent: your own." example:"-"`
	From           time.Time              `json:"from,omitzero" doc:"Only those that came in at this time or later." example:"-"`
	To             time.Time              `json:"to,omitzero" doc:"Only those that came in before this time." example:"-"`
	page.Params
}

// Invoice is an invoice in results.
type Invoice struct {
	ID          billing.InvoiceID     `json:"id" doc:"Identifier of the invoice."`
	Number      string                `json:"number" doc:"The number that stands on it."`
	CheckoutID  billing.CheckoutID    `json:"checkout_id" doc:"The checkout of the sale."`
	ProductID   product.ID            `json:"product_id" doc:"The product."`
	CustomerID  billing.CustomerID    `json:"customer_id" doc:"The customer."`
	Status      billing.InvoiceStatus `json:"status" doc:"Its state." jsonschema:"enum=open,enum=paid,enum=void,enum=uncollectible"`
	Currency    money.Currency        `json:"currency" doc:"The currency of all amounts, by ISO 4217; they are in minor units."`
	Subtotal    int64                 `json:"subtotal" doc:"The sum of the lines."`
	Discount    int64                 `json:"discount" doc:"What is taken off."`
	Tax         int64                 `json:"tax" doc:"Tax, as the processor told it."`
	Total       int64                 `json:"total" doc:"What is due."`
	PeriodStart time.Time             `json:"period_start,omitzero" doc:"When the period begins that it is for."`
	PeriodEnd   time.Time             `json:"period_end,omitzero" doc:"When that ends."`
	IssuedAt    time.Time             `json:"issued_at" doc:"When it was written."`
	PaidAt      time.Time             `json:"paid_at,omitzero" doc:"When it was paid."`
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
		Summary:     "Invoices, newest first: your own, or those of a workspace.",
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
func (s *Service) invoicesOf(ctx context.Context, caller access.Caller, p InvoiceListParams) (ports.SaleQuery, error) {
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
