package billing

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// PaymentListParams are the parameters of BILLING.PAYMENT_LIST.
type PaymentListParams struct {
	CustomerID billing.CustomerID    `json:"customer_id,omitzero" doc:"Filter by customer." example:"-"`
	InvoiceID  billing.InvoiceID     `json:"invoice_id,omitzero" doc:"Filter by invoice." example:"-"`
	Status     billing.PaymentStatus `json:"status,omitzero" doc:"Filter by status." jsonschema:"enum=pending,enum=succeeded,enum=failed" example:"-"`
	Disputed   *bool                 `json:"disputed,omitzero" doc:"Filter by whether the payment is or was disputed." example:"-"`
	page.Params
}

// Payment is a payment in results.
type Payment struct {
	ID         billing.PaymentID     `json:"id" doc:"ID of the payment."`
	CheckoutID billing.CheckoutID    `json:"checkout_id" doc:"ID of the checkout of the purchase."`
	ProductID  product.ID            `json:"product_id" doc:"ID of the product."`
	CustomerID billing.CustomerID    `json:"customer_id" doc:"ID of the customer."`
	Status     billing.PaymentStatus `json:"status" doc:"Status of the payment." jsonschema:"enum=pending,enum=succeeded,enum=failed"`
	Amount     int64                 `json:"amount" doc:"Amount in minor units."`
	Currency   money.Currency        `json:"currency" doc:"ISO 4217 currency code."`
	Dispute    billing.Dispute       `json:"dispute,omitzero" doc:"Status of the dispute. A dispute is won or lost from the point of view of the seller. Absent if the payment was never disputed." jsonschema:"enum=open,enum=won,enum=lost"`
	Failure    string                `json:"failure,omitzero" doc:"Why the payment failed, as reported by the payment processor."`
	Processor  billing.AnyProcessor  `json:"processor" doc:"Payment processor that took the payment."`
	Mode       billing.Mode          `json:"mode" doc:"Whether the payment is real (live) or a test payment." jsonschema:"enum=test,enum=live"`
	CreatedAt  time.Time             `json:"created_at" doc:"When the payment was received."`
}

func showPayment(s billing.PaymentSnapshot) Payment {
	return Payment{
		ID: s.ID, CheckoutID: s.CheckoutID, ProductID: s.ProductID, CustomerID: s.CustomerID, Status: s.Status, Amount: s.Amount.Minor,
		Currency: s.Amount.Currency, Dispute: s.Dispute, Failure: s.Failure, Processor: billing.AnyProcessor(s.Account.Processor), Mode: s.Account.Mode, CreatedAt: s.CreatedAt,
	}
}

func (s *Service) paymentList() command.Definition {
	return command.Define(command.Spec[PaymentListParams, page.Of[Payment]]{
		Name:        "BILLING.PAYMENT_LIST",
		Summary:     "List payments for products of the workspace, newest first.",
		Description: "Includes failed and disputed payments.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p PaymentListParams) (page.Of[Payment], error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return page.Of[Payment]{}, err
			}
			query := commerce.SaleQuery{Seller: org, Customer: p.CustomerID, Status: string(p.Status), Disputed: p.Disputed}
			if err := s.known(ctx, call.Caller, p.CustomerID); err != nil {
				return page.Of[Payment]{}, err
			}
			if p.InvoiceID != "" {
				of, err := s.soldInvoice(ctx, call.Caller, p.InvoiceID)
				if err != nil {
					return page.Of[Payment]{}, err
				}
				query.Checkout, query.Invoice = of.CheckoutID, of.Remote.ID
			}
			scope := fmt.Sprintf("BILLING.PAYMENT_LIST|%s|%s|%s|%s|%s", org, p.CustomerID, p.InvoiceID, p.Status, choice(p.Disputed))
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.PaymentSnapshot) string { return one.ID.String() }, showPayment,
				func(before string, most int) ([]billing.PaymentSnapshot, error) {
					query.Before, query.Limit = before, most
					return s.Sales.Payments(ctx, query)
				})
		},
	})
}

// soldInvoice returns an invoice for a product of the caller's workspace. It fails with
// billing.ErrNoInvoice.
func (s *Service) soldInvoice(ctx context.Context, caller access.Caller, id billing.InvoiceID) (billing.InvoiceSnapshot, error) {
	found, err := s.Sales.Invoices(ctx, commerce.SaleQuery{ID: id.String(), Limit: 1})
	if err == nil && (len(found) == 0 || !caller.Sees(found[0].OrgID)) {
		err = billing.ErrNoInvoice
	}
	if err != nil {
		return billing.InvoiceSnapshot{}, err
	}
	return found[0], nil
}

// known fails with billing.ErrNoCustomer for a customer of another workspace, or none.
func (s *Service) known(ctx context.Context, caller access.Caller, id billing.CustomerID) error {
	if id == "" {
		return nil
	}
	return s.Paying.Do(ctx, func(tx payment.Repos) error {
		found, err := tx.Customers.ByID(ctx, id)
		if err == nil && !caller.Sees(found.Snapshot().OrgID) {
			err = billing.ErrNoCustomer
		}
		return err
	})
}
