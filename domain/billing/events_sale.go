package billing

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of sales.
const (
	KindCheckoutCreated       event.Kind = "checkout.created"
	KindCheckoutCompleted     event.Kind = "checkout.completed"
	KindCheckoutExpired       event.Kind = "checkout.expired"
	KindSubscriptionCreated   event.Kind = "subscription.created"
	KindSubscriptionUpdated   event.Kind = "subscription.updated"
	KindSubscriptionPastDue   event.Kind = "subscription.past_due"
	KindSubscriptionCanceled  event.Kind = "subscription.canceled"
	KindSubscriptionResumed   event.Kind = "subscription.resumed"
	KindSubscriptionEnded     event.Kind = "subscription.ended"
	KindInvoicePaid           event.Kind = "invoice.paid"
	KindInvoiceUpdated        event.Kind = "invoice.updated"
	KindPaymentFailed         event.Kind = "invoice.payment_failed"
	KindPaymentDisputed       event.Kind = "payment.disputed"
	KindRefundCreated         event.Kind = "refund.created"
	KindRefundSucceeded       event.Kind = "refund.succeeded"
	KindRefundFailed          event.Kind = "refund.failed"
	KindProcessorEventApplied event.Kind = "processor_event.applied"
)

// About are the fields of every event of a sale.
type About struct {
	CheckoutID CheckoutID   `json:"checkout_id" doc:"ID of the checkout of the purchase."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that sells the product."`
	ProductID  product.ID   `json:"product_id" doc:"ID of the product."`
	CustomerID CustomerID   `json:"customer_id" doc:"ID of the customer."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"ID of the user who buys. Absent if a workspace buys."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"ID of the workspace that buys. Absent if a user buys."`
}

func aboutSale(s Sale) About {
	return About{s.CheckoutID, s.OrgID, s.ProductID, s.CustomerID, s.Buyer.UserID, s.Buyer.OrgID}
}

// AboutSubscription are the fields of every event of a subscription.
type AboutSubscription struct {
	About

	SubscriptionID SubscriptionID     `json:"subscription_id" doc:"ID of the subscription."`
	Status         SubscriptionStatus `json:"status" doc:"Status of the subscription: incomplete, trialing, active, past_due, paused, canceled or ended."`
	Quantity       int64              `json:"quantity" doc:"Number of seats."`
}

func aboutSubscription(s SubscriptionSnapshot) AboutSubscription {
	return AboutSubscription{aboutSale(s.Sale), s.ID, s.Status, s.Quantity}
}

// AboutInvoice are the fields of every event of an invoice.
type AboutInvoice struct {
	About

	InvoiceID InvoiceID      `json:"invoice_id" doc:"ID of the invoice."`
	Status    InvoiceStatus  `json:"status" doc:"Status of the invoice: open, paid, void or uncollectible."`
	Total     int64          `json:"total" doc:"Total amount due, in minor units."`
	Currency  money.Currency `json:"currency" doc:"ISO 4217 currency code."`
}

func aboutInvoice(s InvoiceSnapshot) AboutInvoice {
	return AboutInvoice{aboutSale(s.Sale), s.ID, s.Status, s.Total.Minor, s.Total.Currency}
}

// AboutPayment are the fields of every event of a payment.
type AboutPayment struct {
	About

	PaymentID PaymentID      `json:"payment_id" doc:"ID of the payment."`
	Amount    int64          `json:"amount" doc:"Amount in minor units."`
	Currency  money.Currency `json:"currency" doc:"ISO 4217 currency code."`
}

func aboutPayment(s PaymentSnapshot) AboutPayment {
	return AboutPayment{aboutSale(s.Sale), s.ID, s.Amount.Minor, s.Amount.Currency}
}

// AboutRefund are the fields of every event of a refund.
type AboutRefund struct {
	About

	RefundID  RefundID       `json:"refund_id" doc:"ID of the refund."`
	PaymentID PaymentID      `json:"payment_id,omitempty" doc:"ID of the payment. Absent if it is not known yet."`
	Amount    int64          `json:"amount" doc:"Amount in minor units."`
	Currency  money.Currency `json:"currency" doc:"ISO 4217 currency code."`
}

func aboutRefund(s RefundSnapshot) AboutRefund {
	return AboutRefund{aboutSale(s.Sale), s.ID, s.PaymentID, s.Amount.Minor, s.Amount.Currency}
}

// The contents of the events.
type (
	// CheckoutCreated is the content of checkout.created.
	CheckoutCreated struct {
		About

		PriceID PriceID `json:"price_id" doc:"ID of the price."`
	}
	// CheckoutCompletedEvent is the content of checkout.completed.
	CheckoutCompletedEvent struct {
		About

		PriceID PriceID `json:"price_id" doc:"ID of the price."`
	}
	// CheckoutExpiredEvent is the content of checkout.expired.
	CheckoutExpiredEvent struct {
		About

		PriceID PriceID `json:"price_id" doc:"ID of the price."`
	}
	// SubscriptionCreated is the content of subscription.created.
	SubscriptionCreated struct{ AboutSubscription }
	// SubscriptionUpdated is the content of subscription.updated.
	SubscriptionUpdated struct{ AboutSubscription }
	// SubscriptionPastDue is the content of subscription.past_due.
	SubscriptionPastDue struct{ AboutSubscription }
	// SubscriptionCanceled is the content of subscription.canceled.
	SubscriptionCanceled struct{ AboutSubscription }
	// SubscriptionResumed is the content of subscription.resumed.
	SubscriptionResumed struct{ AboutSubscription }
	// SubscriptionEnded is the content of subscription.ended.
	SubscriptionEnded struct{ AboutSubscription }
	// InvoicePaidEvent is the content of invoice.paid.
	InvoicePaidEvent struct{ AboutInvoice }
	// InvoiceUpdated is the content of invoice.updated.
	InvoiceUpdated struct{ AboutInvoice }
	// PaymentFailedEvent is the content of invoice.payment_failed.
	PaymentFailedEvent struct{ AboutPayment }
	// PaymentDisputed is the content of payment.disputed.
	PaymentDisputed struct {
		AboutPayment

		Dispute Dispute `json:"dispute" doc:"Status of the dispute: open, won or lost."`
	}
	// RefundCreated is the content of refund.created.
	RefundCreated struct{ AboutRefund }
	// RefundSucceededEvent is the content of refund.succeeded.
	RefundSucceededEvent struct{ AboutRefund }
	// RefundFailedEvent is the content of refund.failed.
	RefundFailedEvent struct{ AboutRefund }
)

func (CheckoutCreated) Kind() event.Kind        { return KindCheckoutCreated }
func (CheckoutCompletedEvent) Kind() event.Kind { return KindCheckoutCompleted }
func (CheckoutExpiredEvent) Kind() event.Kind   { return KindCheckoutExpired }
func (SubscriptionCreated) Kind() event.Kind    { return KindSubscriptionCreated }
func (SubscriptionUpdated) Kind() event.Kind    { return KindSubscriptionUpdated }
func (SubscriptionPastDue) Kind() event.Kind    { return KindSubscriptionPastDue }
func (SubscriptionCanceled) Kind() event.Kind   { return KindSubscriptionCanceled }
func (SubscriptionResumed) Kind() event.Kind    { return KindSubscriptionResumed }
func (SubscriptionEnded) Kind() event.Kind      { return KindSubscriptionEnded }
func (InvoicePaidEvent) Kind() event.Kind       { return KindInvoicePaid }
func (InvoiceUpdated) Kind() event.Kind         { return KindInvoiceUpdated }
func (PaymentFailedEvent) Kind() event.Kind     { return KindPaymentFailed }
func (PaymentDisputed) Kind() event.Kind        { return KindPaymentDisputed }
func (RefundCreated) Kind() event.Kind          { return KindRefundCreated }
func (RefundSucceededEvent) Kind() event.Kind   { return KindRefundSucceeded }
func (RefundFailedEvent) Kind() event.Kind      { return KindRefundFailed }

// ProcessorEventApplied is the content of processor_event.applied.
type ProcessorEventApplied struct {
	EventID EventID              `json:"processor_event_id" doc:"ID of the processor event."`
	OrgID   workspace.ID         `json:"org_id,omitempty" doc:"ID of the workspace that sells. Absent if the event belongs to no sale."`
	From    AnyProcessor         `json:"processor" doc:"Payment processor that sent the event."`
	Status  ProcessorEventStatus `json:"status" doc:"Status of the processor event: applied or ignored."`
}

// Kind is processor_event.applied.
func (ProcessorEventApplied) Kind() event.Kind { return KindProcessorEventApplied }

// saleEvents describes the kinds of events of sales.
func saleEvents() []event.Definition {
	const seats, due = 3, 5700
	about := About{
		CheckoutID: "chk_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", ProductID: "prd_01jd7x9k2mf3q8v5t0abcdefgh",
		CustomerID: "cus_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh",
	}
	price := PriceID("pri_01jd7x9k2mf3q8v5t0abcdefgh")
	sub := func(status SubscriptionStatus) AboutSubscription {
		return AboutSubscription{about, "sub_01jd7x9k2mf3q8v5t0abcdefgh", status, seats}
	}
	invoice := func(status InvoiceStatus) AboutInvoice {
		return AboutInvoice{about, "bin_01jd7x9k2mf3q8v5t0abcdefgh", status, due, "EUR"}
	}
	payment := AboutPayment{about, "pay_01jd7x9k2mf3q8v5t0abcdefgh", due, "EUR"}
	refund := AboutRefund{about, "rfd_01jd7x9k2mf3q8v5t0abcdefgh", payment.PaymentID, due, "EUR"}
	return []event.Definition{
		{Summary: "A checkout was created.", Example: CheckoutCreated{about, price}},
		{Summary: "A checkout was completed.", Example: CheckoutCompletedEvent{about, price}},
		{Summary: "A checkout expired without a purchase.", Example: CheckoutExpiredEvent{about, price}},
		{Summary: "A subscription was created.", Example: SubscriptionCreated{sub(Trialing)}},
		{Summary: "A subscription was changed or renewed.", Example: SubscriptionUpdated{sub(Active)}},
		{Summary: "A subscription became past due. Access continues for the grace days of the product.", Example: SubscriptionPastDue{sub(PastDue)}},
		{Summary: "A subscription was canceled. It ends at the end of its period.", Example: SubscriptionCanceled{sub(Canceled)}},
		{Summary: "The cancellation of a subscription was undone.", Example: SubscriptionResumed{sub(Active)}},
		{Summary: "A subscription ended permanently.", Example: SubscriptionEnded{sub(Ended)}},
		{Summary: "An invoice was paid.", Example: InvoicePaidEvent{invoice(InvoicePaid)}},
		{Summary: "An invoice was updated.", Example: InvoiceUpdated{invoice(InvoiceVoid)}},
		{Summary: "A payment failed.", Example: PaymentFailedEvent{payment}},
		{Summary: "A payment was disputed, or a dispute was decided.", Example: PaymentDisputed{payment, DisputeOpen}},
		{Summary: "A refund was created.", Example: RefundCreated{refund}},
		{Summary: "A refund succeeded.", Example: RefundSucceededEvent{refund}},
		{Summary: "A refund failed.", Example: RefundFailedEvent{refund}},
		{Summary: "An event from a payment processor was applied.", Example: ProcessorEventApplied{"pev_01jd7x9k2mf3q8v5t0abcdefgh", about.OrgID, "stripe", EventApplied}},
	}
}
