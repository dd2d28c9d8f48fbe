package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// refunding is the permission to give money back.
const refunding = "billing:refund"

var errWhatToRefund = fault.Invalid("/payment_id", "provide either payment_id or invoice_id, not both")

// RefundParams are the parameters of BILLING.REFUND.
type RefundParams struct {
	InvoiceID billing.InvoiceID `json:"invoice_id,omitzero" doc:"ID of the invoice whose payment to refund. Provide either invoice_id or payment_id." example:"-"`
	PaymentID billing.PaymentID `json:"payment_id,omitzero" doc:"ID of the payment to refund."`
	Amount    int64             `json:"amount,omitzero" doc:"Amount to refund including tax, in minor units of the currency of the payment. Defaults to the whole remaining amount." jsonschema:"minimum=1,maximum=9007199254740991,example=500"`
	Reason    string            `json:"reason,omitzero" doc:"Reason, for your own records." jsonschema:"maxLength=500"`
}

// RefundResult is the result of BILLING.REFUND.
type RefundResult struct {
	Refund Refund `json:"refund" doc:"The refund."`
}

// Refund is a refund in results.
type Refund struct {
	ID         billing.RefundID     `json:"id" doc:"ID of the refund."`
	CheckoutID billing.CheckoutID   `json:"checkout_id" doc:"ID of the checkout of the purchase."`
	PaymentID  billing.PaymentID    `json:"payment_id,omitzero" doc:"ID of the payment. Absent if it is not known."`
	Status     billing.RefundStatus `json:"status" doc:"Status of the refund." jsonschema:"enum=pending,enum=succeeded,enum=failed"`
	Amount     int64                `json:"amount" doc:"Amount in minor units."`
	Currency   money.Currency       `json:"currency" doc:"ISO 4217 currency code."`
	Reason     string               `json:"reason,omitzero" doc:"Reason of the refund."`
	Failure    string               `json:"failure,omitzero" doc:"Why the refund failed."`
	CreatedAt  time.Time            `json:"created_at" doc:"When the refund was created."`
}

func showRefund(s billing.RefundSnapshot) Refund {
	return Refund{
		ID: s.ID, CheckoutID: s.CheckoutID, PaymentID: s.PaymentID, Status: s.Status, Amount: s.Amount.Minor, Currency: s.Amount.Currency,
		Reason: s.Reason, Failure: s.Failure, CreatedAt: s.CreatedAt,
	}
}

func (s *Service) refund() command.Definition {
	return command.Define(command.Spec[RefundParams, RefundResult]{
		Name:        "BILLING.REFUND",
		Summary:     "Refund a payment in whole or in part.",
		Description: "Refunds of a payment never add up to more than was paid. A full refund of a one-time purchase also withdraws what was bought.",
		Access:      access.Holding(refunding),
		Effect:      command.Outside,
		Emits: []event.Kind{
			billing.KindRefundCreated, billing.KindRefundSucceeded, billing.KindRefundFailed, license.KindRevoked, license.KindUpdated,
			workspace.KindMemberRemoved, workspace.KindRoleUnassigned,
		},
		Handle: func(ctx context.Context, call command.Call, p RefundParams) (RefundResult, error) {
			paid, err := s.refundable(ctx, call.Caller, p)
			if err != nil {
				return RefundResult{}, err
			}
			id, intent, err := s.give(ctx, paid, p)
			if err != nil {
				return RefundResult{}, err
			}
			if _, err := s.Payments.Carry(ctx, intent, s.pause(ctx)); err != nil {
				return RefundResult{}, err
			}
			found, err := s.Sales.Refunds(ctx, commerce.SaleQuery{ID: id.String(), Limit: 1})
			if err == nil && len(found) == 0 {
				err = billing.ErrNoRefund
			}
			if err != nil {
				return RefundResult{}, err
			}
			return RefundResult{showRefund(found[0])}, nil
		},
	})
}

// give stores a refund and the intent to execute it, under the lock of the sale, so that
// concurrent refunds count against each other.
func (s *Service) give(ctx context.Context, paid billing.PaymentSnapshot, p RefundParams) (id billing.RefundID, i billing.Intent, err error) {
	id = billing.NewRefundID(s.IDs)
	err = s.Paying.Do(ctx, func(tx payment.Repos) error {
		if _, err := tx.Checkouts.ByID(ctx, paid.CheckoutID); err != nil {
			return err
		}
		of, err := tx.Payments.ByRemote(ctx, paid.Account, paid.Remote.ID)
		if err != nil {
			return err
		}
		given, err := tx.Refunds.Given(ctx, paid.Account, paid.Remote.ID)
		if err != nil {
			return err
		}
		amount, err := of.Snapshot().Refundable(p.Amount, given)
		if err != nil {
			return err
		}
		if err := tx.Refunds.Save(ctx, billing.GiveBack(id, of.Snapshot(), amount, p.Reason, s.Clock.Now())); err != nil {
			return err
		}
		i, err = s.Payments.Intend(ctx, tx, billing.Intent{
			Kind: billing.IntentRefund, CheckoutID: paid.CheckoutID, Subject: id.String(), Account: paid.Account,
		})
		return err
	})
	return id, i, err
}
