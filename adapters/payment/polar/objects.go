package polar

import "time"

// The objects of the API, with the fields that are read (https://polar.sh/docs/api-reference). A field that is null has
// the zero value. Amounts are in the unit of Stripe.

type namedObject struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified_at"`
	Metadata metadata  `json:"metadata"`
}

type checkout struct {
	namedObject

	Status    string    `json:"status"`
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
	Currency  string    `json:"currency"`
	Amount    int64     `json:"amount"`
	Discount  int64     `json:"discount_amount"`
	Seats     int64     `json:"seats"`
	ProductID string    `json:"product_id"`
	Product   struct {
		Interval string `json:"recurring_interval"`
	} `json:"product"`
}

type sub struct {
	namedObject

	Status      string    `json:"status"`
	PeriodStart time.Time `json:"current_period_start"`
	PeriodEnd   time.Time `json:"current_period_end"`
	TrialEnd    time.Time `json:"trial_end"`
	AtPeriodEnd bool      `json:"cancel_at_period_end"`
	CanceledAt  time.Time `json:"canceled_at"`
	EndedAt     time.Time `json:"ended_at"`
	CustomerID  string    `json:"customer_id"`
	ProductID   string    `json:"product_id"`
	DiscountID  string    `json:"discount_id"`
	CheckoutID  string    `json:"checkout_id"`
	Seats       int64     `json:"seats"`
}

// order is an invoice.
type order struct {
	namedObject

	CreatedAt        time.Time `json:"created_at"`
	Status           string    `json:"status"`
	Currency         string    `json:"currency"`
	Discount         int64     `json:"discount_amount"`
	Tax              int64     `json:"tax_amount"`
	Total            int64     `json:"total_amount"`
	Net              int64     `json:"net_amount"`
	Balance          int64     `json:"applied_balance_amount"`
	Refundable       int64     `json:"refundable_amount"`
	RefundableTax    int64     `json:"refundable_tax_amount"`
	Number           string    `json:"invoice_number"`
	InvoiceGenerated bool      `json:"is_invoice_generated"`
	CheckoutID       string    `json:"checkout_id"`
	SubscriptionID   string    `json:"subscription_id"`
	Items            []struct {
		Label  string `json:"label"`
		Amount int64  `json:"amount"`
	} `json:"items"`
}

// attempt is a payment of any status.
type attempt struct {
	namedObject

	CreatedAt  time.Time `json:"created_at"`
	Status     string    `json:"status"`
	Amount     int64     `json:"amount"`
	Currency   string    `json:"currency"`
	CheckoutID string    `json:"checkout_id"`
	OrderID    string    `json:"order_id"`
	Failure    string    `json:"decline_message"`
}

type refund struct {
	namedObject

	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Tax      int64  `json:"tax_amount"`
	Currency string `json:"currency"`
	OrderID  string `json:"order_id"`
}

type dispute struct {
	namedObject

	Status    string `json:"status"`
	PaymentID string `json:"payment_id"`
}

type customer struct {
	namedObject

	ExternalID string `json:"external_id"`
	Email      string `json:"email"`
	Type       string `json:"type"`
}

// The types of customers. A team is a customer that buys seats; its email address need not be unique.
const (
	individual = "individual"
	team       = "team"
)
