package paddle

import (
	"strings"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// The objects of the API, as far as they are read (https://developer.paddle.com/api-reference).
// Amounts are strings, in minor units.

type named struct {
	ID     string        `json:"id"`
	Custom payment.Marks `json:"custom_data"`
}

func (n named) id() string { return n.ID }

type product struct {
	named

	Name   string  `json:"name"`
	Prices []price `json:"prices"`
}

type price struct {
	named

	ProductID string    `json:"product_id"`
	TaxMode   string    `json:"tax_mode"`
	Trial     *struct{} `json:"trial_period"`
}

// known is the identifier by which the price is known here.
func (p price) known() string {
	if stands := p.Custom[standsForKey]; stands != "" {
		return stands
	}
	return p.ID
}

type discount struct {
	named

	Code        string `json:"code"`
	Description string `json:"description"`
	Type        string `json:"type"`
	Amount      string `json:"amount"`
	Currency    string `json:"currency_code"`
}

// period is a span of time.
type period struct {
	Start time.Time `json:"starts_at"`
	End   time.Time `json:"ends_at"`
}

// item is what a transaction or a subscription is over.
type item struct {
	Price    price  `json:"price"`
	Quantity int64  `json:"quantity"`
	Trial    period `json:"trial_dates"`
}

type totals struct {
	Subtotal int64 `json:"subtotal,string"`
	Discount int64 `json:"discount,string"`
	Tax      int64 `json:"tax,string"`
	Total    int64 `json:"total,string"`
	// Due is what was to be paid, after credit of the customer.
	Due int64 `json:"grand_total,string"`
}

// line is a line of a transaction.
type line struct {
	named

	Quantity int64   `json:"quantity"`
	Totals   totals  `json:"totals"`
	Product  product `json:"product"`
}

// attempt is one attempt to pay.
type attempt struct {
	Status     string    `json:"status"`
	Failure    string    `json:"error_code"`
	CapturedAt time.Time `json:"captured_at"`
}

type transaction struct {
	named

	Status       string         `json:"status"`
	Origin       string         `json:"origin"`
	Customer     string         `json:"customer_id"`
	Subscription string         `json:"subscription_id"`
	Number       string         `json:"invoice_number"`
	Currency     money.Currency `json:"currency_code"`
	Period       period         `json:"billing_period"`
	Items        []item         `json:"items"`
	Payments     []attempt      `json:"payments"`
	Adjustments  []adjustment   `json:"adjustments"`
	CreatedAt    time.Time      `json:"created_at"`
	BilledAt     time.Time      `json:"billed_at"`
	Checkout     struct {
		URL string `json:"url"`
	} `json:"checkout"`
	Details struct {
		Totals totals `json:"totals"`
		Lines  []line `json:"line_items"`
	} `json:"details"`
}

// sale is the checkout that the transaction began; "" for any other. Those of the page of
// others, and those that a subscription made, are none.
func (t transaction) sale() billing.CheckoutID {
	if t.Origin != "api" {
		return ""
	}
	return billing.CheckoutID(t.Custom[checkoutKey])
}

// adjustment is a refund, a credit or a chargeback of a transaction.
type adjustment struct {
	named

	Action      string         `json:"action"`
	Status      string         `json:"status"`
	Transaction string         `json:"transaction_id"`
	Reason      string         `json:"reason"`
	Currency    money.Currency `json:"currency_code"`
	CreatedAt   time.Time      `json:"created_at"`
	Totals      totals         `json:"totals"`
	Items       []struct {
		Line   string `json:"item_id"`
		Totals totals `json:"totals"`
	} `json:"items"`
}

// refund is the one of ours that the adjustment is; "" for none.
func (a adjustment) refund() billing.RefundID {
	ours, _, _ := strings.Cut(a.Reason, ":")
	if !strings.HasPrefix(ours, "rfd_") {
		return ""
	}
	return billing.RefundID(ours)
}

// void reports whether the adjustment had, or has no more, effect.
func (a adjustment) void() bool { return a.Status == "rejected" || a.Status == "reversed" }

type subscription struct {
	named

	Status     string    `json:"status"`
	Items      []item    `json:"items"`
	Period     period    `json:"current_billing_period"`
	CanceledAt time.Time `json:"canceled_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	Scheduled  *struct {
		Action string `json:"action"`
	} `json:"scheduled_change"`
}

// ending reports whether the subscription is to end with its period.
func (s subscription) ending() bool { return s.Scheduled != nil && s.Scheduled.Action == "cancel" }

type address struct{ named }

type business struct{ named }

type portal struct {
	URLs struct {
		General struct {
			Overview string `json:"overview"`
		} `json:"general"`
	} `json:"urls"`
}

type document struct {
	URL string `json:"url"`
}
