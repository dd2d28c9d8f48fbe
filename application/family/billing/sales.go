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
	ports "gatehouse.internal/ports/outbound/billing"
)

// Errors of sales.
var (
	errNoProcessor = fault.Unfit("/product_id", "names no payment processor that is configured: BILLING.PROCESSOR_LIST lists them")
	errWorkspace   = fault.New(fault.Denied, "this needs the permission "+reading+" in the workspace")
	errSuspended   = fault.New(fault.Denied, "the workspace that sells is suspended")
	errWrites      = fault.New(fault.Denied, "this needs the permission "+writing+" in the workspace")
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
func within(caller access.Caller, org workspace.ID, person user.ID) (ports.SaleQuery, error) {
	if org == "" && (person == "" || person == caller.User) {
		return ports.SaleQuery{Buyer: billing.Buyer{UserID: caller.User}}, nil
	}
	if !caller.May(reading) {
		return ports.SaleQuery{}, errWorkspace
	}
	if org == "" {
		org = caller.Org
	}
	if org == "" {
		return ports.SaleQuery{}, workspace.ErrNotFound
	}
	if person != "" {
		return ports.SaleQuery{Seller: org, User: person}, nil
	}
	return ports.SaleQuery{Seller: org, Buyer: billing.Buyer{OrgID: org}}, nil
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
		return fault.Unfit(path, "is not registered: the seller adds it to the redirect_urls of an app of theirs, or the operator to BILLING_RETURN_URLS")
	}
	return err
}

// applied returns the kinds of events that the answer of a processor may cause.
func applied(more ...event.Kind) []event.Kind {
	return append(more, workspace.KindMemberAdded, workspace.KindMemberRemoved, workspace.KindRoleAssigned, workspace.KindRoleUnassigned,
		billing.KindSubscriptionUpdated, billing.KindSubscriptionEnded, license.KindUpdated, license.KindSuspended,
		license.KindReinstated, license.KindRevoked)
}

// told returns the kinds of events that whatever a processor tells may cause.
func told(more ...event.Kind) []event.Kind {
	return append(more, append([]event.Kind{
		billing.KindCheckoutCompleted, billing.KindCheckoutExpired, billing.KindSubscriptionCreated, billing.KindSubscriptionPastDue,
		billing.KindSubscriptionCanceled, billing.KindSubscriptionResumed, billing.KindInvoicePaid, billing.KindInvoiceUpdated,
		billing.KindPaymentFailed, billing.KindPaymentDisputed, billing.KindRefundSucceeded, billing.KindRefundFailed, license.KindIssued,
	}, applied()...)...)
}

// Checkout is a checkout in results.
type Checkout struct {
	ID          billing.CheckoutID     `json:"id" doc:"Identifier of the checkout."`
	Status      billing.CheckoutStatus `json:"status" doc:"Its state. What was bought is there once it is completed, and not because the browser came back." jsonschema:"enum=pending,enum=open,enum=completed,enum=expired,enum=failed"`
	URL         string                 `json:"url,omitzero" doc:"The page to pay at; absent until the processor has made it."`
	ExpiresAt   time.Time              `json:"expires_at,omitzero" doc:"Until when one may pay there."`
	ProductID   product.ID             `json:"product_id" doc:"The product."`
	PriceID     billing.PriceID        `json:"price_id" doc:"The price."`
	Quantity    int64                  `json:"quantity" doc:"How many."`
	Subtotal    int64                  `json:"subtotal" doc:"What that costs at first, after the discount and before tax, in minor units."`
	Currency    money.Currency         `json:"currency" doc:"The currency, by ISO 4217."`
	TrialDays   int                    `json:"trial_days" doc:"Days that cost nothing at the beginning."`
	CreatedAt   time.Time              `json:"created_at" doc:"When it was made."`
	CompletedAt time.Time              `json:"completed_at,omitzero" doc:"When it was paid."`
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
	ID          billing.SubscriptionID     `json:"id" doc:"Identifier of the subscription."`
	CheckoutID  billing.CheckoutID         `json:"checkout_id" doc:"The checkout by which it was bought."`
	Status      billing.SubscriptionStatus `json:"status" doc:"Its state. A canceled one gives what it gave until its period ends, an ended one nothing." jsonschema:"enum=incomplete,enum=trialing,enum=active,enum=past_due,enum=paused,enum=canceled,enum=ended"`
	ProductID   product.ID                 `json:"product_id" doc:"The product."`
	PriceID     billing.PriceID            `json:"price_id" doc:"The price."`
	Quantity    int64                      `json:"quantity" doc:"How many seats."`
	CustomerID  billing.CustomerID         `json:"customer_id" doc:"The customer."`
	UserID      user.ID                    `json:"user_id,omitzero" doc:"The person who bought it; absent for a workspace."`
	OrgID       workspace.ID               `json:"org_id,omitzero" doc:"The workspace that bought it; absent for a person."`
	Processor   billing.AnyProcessor       `json:"processor" doc:"Who takes the payments."`
	Mode        billing.Mode               `json:"mode" doc:"Whether that is real money." jsonschema:"enum=test,enum=live"`
	PeriodStart time.Time                  `json:"period_start,omitzero" doc:"When the current period began."`
	PeriodEnd   time.Time                  `json:"period_end,omitzero" doc:"When it ends."`
	TrialEnd    time.Time                  `json:"trial_end,omitzero" doc:"When the trial ends, or ended; absent where there was none."`
	CanceledAt  time.Time                  `json:"canceled_at,omitzero" doc:"When it was canceled."`
	EndedAt     time.Time                  `json:"ended_at,omitzero" doc:"When it ended."`
	CreatedAt   time.Time                  `json:"created_at" doc:"When it was made."`
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
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"The subscription."`
}

// SubscriptionResult is a subscription after a change.
type SubscriptionResult struct {
	Subscription Subscription `json:"subscription" doc:"The subscription as it stands."`
}

// refundable returns the payment of the workspace that is to be refunded.
func (s *Service) refundable(ctx context.Context, caller access.Caller, p RefundParams) (billing.PaymentSnapshot, error) {
	query, missing := ports.SaleQuery{ID: p.PaymentID.String(), Limit: 1}, billing.ErrNoPayment
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
		query = ports.SaleQuery{Checkout: of.CheckoutID, Invoice: of.Remote.ID, Status: string(billing.PaymentSucceeded), Limit: 1}
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
