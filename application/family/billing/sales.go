package billing

import (
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Errors of sales.
var (
	errNoProcessor = fault.Unfit("/product_id", "has no configured payment processor: see BILLING.PROCESSOR_LIST")
	errWorkspace   = fault.New(fault.Denied, "you need the permission "+reading+" in the workspace")
	errSuspended   = fault.New(fault.Denied, "the workspace that sells the product is suspended")
	errWrites      = fault.New(fault.Denied, "you need the permission "+writing+" in the workspace")
)

// sees reports whether a caller sees a sale: as the buyer, for the workspace that bought, or
// for the one that sold.
func sees(caller access.Caller, of billing.Sale) bool { return allowed(caller, of, reading) }

// changes reports whether a caller may change a sale.
func changes(caller access.Caller, of billing.Sale) bool { return allowed(caller, of, writing) }

func allowed(caller access.Caller, of billing.Sale, permission string) bool {
	if of.Buyer.UserID != "" && of.Buyer.UserID == caller.User {
		return true
	}
	org := caller.Org != "" && (of.Buyer.OrgID == caller.Org || of.OrgID == caller.Org)
	return caller.Superadmin || (org && caller.May(permission))
}

// within returns whose sales a caller asks for: their own, those that a workspace bought and sold,
// or those that it sold to a person.
func within(caller access.Caller, org workspace.ID, person user.ID) (commerce.SaleQuery, error) {
	if org == "" && (person == "" || person == caller.User) {
		return commerce.SaleQuery{Buyer: billing.Buyer{UserID: caller.User}}, nil
	}
	if !caller.May(reading) {
		return commerce.SaleQuery{}, errWorkspace
	}
	if org == "" {
		org = caller.Org
	}
	if org == "" {
		return commerce.SaleQuery{}, workspace.ErrNotFound
	}
	if person != "" {
		return commerce.SaleQuery{Seller: org, User: person}, nil
	}
	return commerce.SaleQuery{Seller: org, Buyer: billing.Buyer{OrgID: org}}, nil
}

// returnable fails for an address that a buyer must not be sent back to (spec/billing.md
// section 3).
func (s *Service) returnable(ctx context.Context, path, address string, seller workspace.ID) error {
	if address == "" || address == s.Host+"/account/billing" {
		return nil
	}
	if wrong := app.RedirectFault(address); wrong != "" {
		return fault.Unfit(path, wrong)
	}
	// By http, RedirectFault lets nothing pass but this machine.
	if (s.AnySeller && strings.HasPrefix(address, "http://")) || slices.Contains(s.ReturnURLs, address) {
		return nil
	}
	registered, err := s.Sellers.Registered(ctx, seller, address)
	if err == nil && !registered {
		return fault.Unfit(path, "is not registered: add it to the redirect_urls of an app of the seller, or to BILLING_RETURN_URLS")
	}
	return err
}

// applied returns the kinds of events that the answer of a processor may cause.
func applied(more ...event.Kind) []event.Kind {
	return append(more, workspace.KindMemberAdded, workspace.KindMemberRemoved, workspace.KindRoleAssigned, workspace.KindRoleUnassigned,
		billing.KindSubscriptionUpdated, billing.KindSubscriptionEnded, license.KindUpdated, license.KindSuspended,
		license.KindReinstated, license.KindRevoked)
}

// processorKinds returns the kinds of events that whatever a processor tells may cause.
func processorKinds(more ...event.Kind) []event.Kind {
	return append(more, append([]event.Kind{
		billing.KindCheckoutCompleted, billing.KindCheckoutExpired, billing.KindSubscriptionCreated, billing.KindSubscriptionPastDue,
		billing.KindSubscriptionCanceled, billing.KindSubscriptionResumed, billing.KindInvoicePaid, billing.KindInvoiceUpdated,
		billing.KindPaymentFailed, billing.KindPaymentDisputed, billing.KindRefundSucceeded, billing.KindRefundFailed, license.KindIssued,
	}, applied()...)...)
}

// Checkout is a checkout in results.
type Checkout struct {
	ID          billing.CheckoutID     `json:"id" doc:"ID of the checkout."`
	Status      billing.CheckoutStatus `json:"status" doc:"Status of the checkout. The buyer gets access once it is completed, not when the browser returns." jsonschema:"enum=pending,enum=open,enum=completed,enum=expired,enum=failed"`
	URL         string                 `json:"url,omitzero" doc:"URL of the payment page. Absent until the payment processor has created it."`
	ExpiresAt   time.Time              `json:"expires_at,omitzero" doc:"When the payment page expires."`
	ProductID   product.ID             `json:"product_id" doc:"ID of the product."`
	PriceID     billing.PriceID        `json:"price_id" doc:"ID of the price."`
	Quantity    int64                  `json:"quantity" doc:"Number of units bought."`
	Subtotal    int64                  `json:"subtotal" doc:"First amount charged, after discount and before tax, in minor units."`
	Currency    money.Currency         `json:"currency" doc:"ISO 4217 currency code."`
	TrialDays   int                    `json:"trial_days" doc:"Length of the free trial. Days."`
	CreatedAt   time.Time              `json:"created_at" doc:"When the checkout was created."`
	CompletedAt time.Time              `json:"completed_at,omitzero" doc:"When the checkout was completed."`
}

func showCheckout(s billing.CheckoutSnapshot) Checkout {
	shown := Checkout{
		ID: s.CheckoutID, Status: s.Status, ExpiresAt: s.ExpiresAt, ProductID: s.ProductID, PriceID: s.PriceID, Quantity: s.Quantity,
		Subtotal: s.Subtotal.Minor, Currency: s.Subtotal.Currency, TrialDays: s.TrialDays, CreatedAt: s.CreatedAt, CompletedAt: s.CompletedAt,
	}
	if s.Status == billing.CheckoutOpen {
		shown.URL = s.URL
	}
	return shown
}

// Subscription is a subscription in results.
type Subscription struct {
	ID          billing.SubscriptionID     `json:"id" doc:"ID of the subscription."`
	CheckoutID  billing.CheckoutID         `json:"checkout_id" doc:"ID of the checkout it was bought with."`
	Status      billing.SubscriptionStatus `json:"status" doc:"Status of the subscription. A canceled subscription gives access until its period ends, an ended subscription gives no access." jsonschema:"enum=incomplete,enum=trialing,enum=active,enum=past_due,enum=paused,enum=canceled,enum=ended"`
	ProductID   product.ID                 `json:"product_id" doc:"ID of the product."`
	PriceID     billing.PriceID            `json:"price_id" doc:"ID of the price."`
	Quantity    int64                      `json:"quantity" doc:"Number of seats."`
	CustomerID  billing.CustomerID         `json:"customer_id" doc:"ID of the customer."`
	UserID      user.ID                    `json:"user_id,omitzero" doc:"ID of the user who bought it. Absent if a workspace bought it."`
	OrgID       workspace.ID               `json:"org_id,omitzero" doc:"ID of the workspace that bought it. Absent if a user bought it."`
	Processor   billing.AnyProcessor       `json:"processor" doc:"Payment processor that takes the payments."`
	Mode        billing.Mode               `json:"mode" doc:"Whether payments are real (live) or test payments." jsonschema:"enum=test,enum=live"`
	PeriodStart time.Time                  `json:"period_start,omitzero" doc:"Start of the current period."`
	PeriodEnd   time.Time                  `json:"period_end,omitzero" doc:"End of the current period."`
	TrialEnd    time.Time                  `json:"trial_end,omitzero" doc:"When the trial ends or ended. Absent if there was no trial."`
	CanceledAt  time.Time                  `json:"canceled_at,omitzero" doc:"When the subscription was canceled."`
	EndedAt     time.Time                  `json:"ended_at,omitzero" doc:"When the subscription ended."`
	CreatedAt   time.Time                  `json:"created_at" doc:"When the subscription was created."`
}

func showSubscription(s billing.SubscriptionSnapshot) Subscription {
	return Subscription{
		ID: s.ID, CheckoutID: s.CheckoutID, Status: s.Status, ProductID: s.ProductID, PriceID: s.PriceID, Quantity: s.Quantity, CustomerID: s.CustomerID,
		UserID: s.Buyer.UserID, OrgID: s.Buyer.OrgID, Processor: billing.AnyProcessor(s.Account.Processor), Mode: s.Account.Mode, PeriodStart: s.PeriodStart,
		PeriodEnd: s.PeriodEnd, TrialEnd: s.TrialEnd, CanceledAt: s.CanceledAt, EndedAt: s.EndedAt, CreatedAt: s.CreatedAt,
	}
}

// SubscriptionParams name a subscription.
type SubscriptionParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"ID of the subscription."`
}

// SubscriptionResult is a subscription after a change.
type SubscriptionResult struct {
	Subscription Subscription `json:"subscription" doc:"The subscription after the change."`
}

// refundable returns the payment of the workspace that is to be refunded.
func (s *Service) refundable(ctx context.Context, caller access.Caller, p RefundParams) (billing.PaymentSnapshot, error) {
	query, missing := commerce.SaleQuery{ID: p.PaymentID.String(), Limit: 1}, billing.ErrNoPayment
	if p.InvoiceID == "" && p.PaymentID == "" {
		return billing.PaymentSnapshot{}, errWhatToRefund
	}
	if p.InvoiceID != "" {
		of, err := s.soldInvoice(ctx, caller, p.InvoiceID)
		if err == nil && p.PaymentID != "" {
			err = errWhatToRefund
		}
		if err != nil {
			return billing.PaymentSnapshot{}, err
		}
		query = commerce.SaleQuery{Checkout: of.CheckoutID, Invoice: of.Remote.ID, Status: string(billing.PaymentSucceeded), Limit: 1}
		missing = billing.ErrNotPaid
	}
	found, err := s.Sales.Payments(ctx, query)
	if err == nil && (len(found) == 0 || !caller.Sees(found[0].OrgID)) {
		err = missing
	}
	if err != nil {
		return billing.PaymentSnapshot{}, err
	}
	return found[0], s.refunds(found[0], p.Amount)
}

// refunds fails where the processor of a payment does not pay back an amount.
func (s *Service) refunds(paid billing.PaymentSnapshot, amount int64) error {
	at, err := s.Payments.Of(paid.Account)
	if err != nil {
		return err
	}
	ability := billing.CanRefund
	if amount > 0 && amount < paid.Amount.Minor {
		ability = billing.CanRefundPart
	}
	return payment.Able(at, ability)
}
