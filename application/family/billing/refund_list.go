package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// RefundListParams are the parameters of BILLING.REFUND_LIST.
type RefundListParams struct {
	InvoiceID billing.InvoiceID    `json:"invoice_id,omitzero" doc:"Filter by invoice. Lists the refunds of its payment." example:"-"`
	Status    billing.RefundStatus `json:"status,omitzero" doc:"Filter by status." jsonschema:"enum=pending,enum=succeeded,enum=failed" example:"-"`
	page.Params
}

func (s *Service) refundList() command.Definition {
	return command.Define(command.Spec[RefundListParams, page.Of[Refund]]{
		Name:    "BILLING.REFUND_LIST",
		Summary: "List refunds for products of the workspace, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p RefundListParams) (page.Of[Refund], error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return page.Of[Refund]{}, err
			}
			query := commerce.SaleQuery{Seller: org, Status: string(p.Status)}
			if p.InvoiceID != "" {
				of, err := s.soldInvoice(ctx, call.Caller, p.InvoiceID)
				if err != nil {
					return page.Of[Refund]{}, err
				}
				paid, err := s.Sales.Payments(ctx, commerce.SaleQuery{Checkout: of.CheckoutID, Invoice: of.Remote.ID, Status: string(billing.PaymentSucceeded), Limit: 1})
				if err != nil || len(paid) == 0 {
					return page.Of[Refund]{Items: []Refund{}}, err
				}
				query.Checkout, query.Payment = of.CheckoutID, paid[0].Remote.ID
			}
			list := s.Cursors.List(fmt.Sprintf("BILLING.REFUND_LIST|%s|%s|%s", org, p.InvoiceID, p.Status), p.Params)
			return page.Read(list, func(one billing.RefundSnapshot) string { return one.ID.String() }, showRefund,
				func(before string, most int) ([]billing.RefundSnapshot, error) {
					query.Before, query.Limit = before, most
					return s.Sales.Refunds(ctx, query)
				})
		},
	})
}
