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
	KindCheckoutCreated      event.Kind = "checkout.created"
	KindCheckoutCompleted    event.Kind = "checkout.completed"
	KindCheckoutExpired      event.Kind = "checkout.expired"
	KindSubscriptionCreated  event.Kind = "subscription.created"
	KindSubscriptionUpdated  event.Kind = "subscription.updated"
	KindSubscriptionPastDue  event.Kind = "subscription.past_due"
	KindSubscriptionCanceled event.Kind = "subscription.canceled"
	KindSubscriptionResumed  event.Kind = "subscription.resumed"
	KindSubscriptionEnded    event.Kind = "subscription.ended"
	KindInvoicePaid          event.Kind = "invoice.paid"
	KindInvoiceUpdated       event.Kind = "invoice.updated"
	KindPaymentFailed        event.Kind = "invoice.payment_failed"
	KindPaymentDisputed      event.Kind = "payment.disputed"
	KindRefundCreated        event.Kind = "refund.created"
	KindRefundSucceeded      event.Kind = "refund.succeeded"
	KindRefundFailed         event.Kind = "refund.failed"
	KindToldApplied          event.Kind = "processor_event.applied"
)

// About are the fields of every event of a sale.
type About struct {
	CheckoutID CheckoutID   `json:"checkout_id" doc:"The checkout of the sale."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace that sells."`
	ProductID  product.ID   `json:"product_id" doc:"The product."`
	CustomerID CustomerID   `json:"customer_id" doc:"The customer."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"The person who buys; absent for a workspace."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"The workspace that buys; absent for a person."`
}

func aboutSale(s Sale) About {
	return About{s.CheckoutID, s.OrgID, s.ProductID, s.CustomerID, s.Buyer.UserID, s.Buyer.OrgID}
}

// AboutSubscription are the fields of every event of a subscription.
type AboutSubscription struct {
	About

	SubscriptionID SubscriptionID     `json:"subscription_id" doc:"The subscription."`
	Status         SubscriptionStatus `json:"status" doc:"Its state: incomplete, trialing, active, past_due, paused, canceled or ended."`
	Quantity       int64              `json:"quantity" doc:"How many seats."`
}

func aboutSubscription(s SubscriptionSnapshot) AboutSubscription {
	return AboutSubscription{aboutSale(s.Sale), s.ID, s.Status, s.Quantity}
}

// AboutInvoice are the fields of every event of an invoice.
type AboutInvoice struct {
	About

	InvoiceID InvoiceID      `json:"invoice_id" doc:"The invoice."`
	Status    InvoiceStatus  `json:"status" doc:"Its state: open, paid, void or uncollectible."`
	Total     int64          `json:"total" doc:"What is due, in minor units."`
	Currency  money.Currency `json:"currency" doc:"The currency."`
}

func aboutInvoice(s InvoiceSnapshot) AboutInvoice {
	return AboutInvoice{aboutSale(s.Sale), s.ID, s.Status, s.Total.Minor, s.Total.Currency}
}

// AboutPayment are the fields of every event of a payment.
type AboutPayment struct {
	About

	PaymentID PaymentID      `json:"payment_id" doc:"The payment."`
	Amount    int64          `json:"amount" doc:"The amount in minor units."`
	Currency  money.Currency `json:"currency" doc:"The currency."`
}

func aboutPayment(s PaymentSnapshot) AboutPayment {
	return AboutPayment{aboutSale(s.Sale), s.ID, s.Amount.Minor, s.Amount.Currency}
}

// AboutRefund are the fields of every event of a refund.
type AboutRefund struct {
	About

	RefundID  RefundID       `json:"refund_id" doc:"The refund."`
	PaymentID PaymentID      `json:"payment_id,omitempty" doc:"The payment; absent where it is not known yet."`
	Amount    int64          `json:"amount" doc:"The amount in minor units."`
	Currency  money.Currency `json:"currency" doc:"The currency."`
}

func aboutRefund(s RefundSnapshot) AboutRefund {
	return AboutRefund{aboutSale(s.Sale), s.ID, s.PaymentID, s.Amount.Minor, s.Amount.Currency}
}

// The contents of the events.
type (
	// CheckoutCreated is the content of checkout.created.
	CheckoutCreated struct {
		About

		PriceID PriceID `json:"price_id" doc:"The price."`
	}
	// CheckoutCompletedEvent is the content of checkout.completed.
	CheckoutCompletedEvent struct {
		About

		PriceID PriceID `json:"price_id" doc:"The price."`
	}
	// CheckoutExpiredEvent is the content of checkout.expired.
	CheckoutExpiredEvent struct {
		About

		PriceID PriceID `json:"price_id" doc:"The price."`
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

		Dispute Dispute `json:"dispute" doc:"The state of the dispute: open, won or lost."`
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

// ToldAppliedEvent is the content of processor_event.applied.
type ToldAppliedEvent struct {
	EventID EventID      `json:"processor_event_id" doc:"What was told."`
	OrgID   workspace.ID `json:"org_id,omitempty" doc:"The workspace that sells; absent where it is about no sale."`
	From    AnyProcessor `json:"processor" doc:"Who told it."`
	Status  ToldStatus   `json:"status" doc:"What became of it: applied or ignored."`
}

// Kind is processor_event.applied.
func (ToldAppliedEvent) Kind() event.Kind { return KindToldApplied }

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
		{Summary: "Somebody is about to buy something.", Example: CheckoutCreated{about, price}},
		{Summary: "Somebody bought something.", Example: CheckoutCompletedEvent{about, price}},
		{Summary: "A checkout ended without a purchase.", Example: CheckoutExpiredEvent{about, price}},
		{Summary: "A subscription began.", Example: SubscriptionCreated{sub(Trialing)}},
		{Summary: "A subscription changed, or was renewed.", Example: SubscriptionUpdated{sub(Active)}},
		{Summary: "A payment of a subscription is due; access goes on for the days of grace.", Example: SubscriptionPastDue{sub(PastDue)}},
		{Summary: "A subscription was canceled, and ends with its period.", Example: SubscriptionCanceled{sub(Canceled)}},
		{Summary: "The cancellation of a subscription was undone.", Example: SubscriptionResumed{sub(Active)}},
		{Summary: "A subscription ended, for good.", Example: SubscriptionEnded{sub(Ended)}},
		{Summary: "An invoice was paid.", Example: InvoicePaidEvent{invoice(InvoicePaid)}},
		{Summary: "An invoice changed.", Example: InvoiceUpdated{invoice(InvoiceVoid)}},
		{Summary: "A payment failed.", Example: PaymentFailedEvent{payment}},
		{Summary: "A payment is disputed, or the dispute was decided.", Example: PaymentDisputed{payment, DisputeOpen}},
		{Summary: "Money is to go back.", Example: RefundCreated{refund}},
		{Summary: "Money went back.", Example: RefundSucceededEvent{refund}},
		{Summary: "Money did not go back.", Example: RefundFailedEvent{refund}},
		{Summary: "What a processor told was applied.", Example: ToldAppliedEvent{"pev_01jd7x9k2mf3q8v5t0abcdefgh", about.OrgID, "stripe", ToldApplied}},
	}
}
