package mollie

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// The objects of the API, as far as they are read (https://docs.mollie.com/reference). What is
// null or left out is the zero value.

// amount is written as a decimal number.
type amount struct{ money.Amount }

// UnmarshalJSON reads an amount. It fails with payment.ErrAmount.
func (a *amount) UnmarshalJSON(data []byte) error {
	var written struct {
		Value    string `json:"value"`
		Currency string `json:"currency"`
	}
	err := json.Unmarshal(data, &written)
	if err == nil {
		a.Amount, err = payment.OfDecimal(written.Value, written.Currency)
	}
	if err != nil {
		return fmt.Errorf("read an amount of mollie: %w", err)
	}
	return nil
}

// written is an amount as calls have it.
func written(a money.Amount) object {
	return object{"currency": string(a.Currency), "value": payment.Decimal(a)}
}

type link struct {
	Href string `json:"href"`
}

type named struct {
	ID       string        `json:"id"`
	Metadata payment.Marks `json:"metadata"`
}

// sale is the checkout that an object belongs to; "" for none.
func (n named) sale() billing.CheckoutID { return billing.CheckoutID(n.Metadata[checkoutKey]) }

// The parts of a sequence that charges are.
const (
	oneOff    = "oneoff"
	first     = "first"
	recurring = "recurring"
)

// charge is a payment, or what is or was to be one.
type charge struct {
	named

	Status         string    `json:"status"`
	Sequence       string    `json:"sequenceType"`
	Description    string    `json:"description"`
	Amount         amount    `json:"amount"`
	CustomerID     string    `json:"customerId"`
	MandateID      string    `json:"mandateId"`
	SubscriptionID string    `json:"subscriptionId"`
	CreatedAt      time.Time `json:"createdAt"`
	PaidAt         time.Time `json:"paidAt"`
	ExpiresAt      time.Time `json:"expiresAt"`
	Details        struct {
		Failure string `json:"failureMessage"`
		Reason  string `json:"failureReason"`
		Bank    string `json:"bankReason"`
	} `json:"details"`
	// What belongs to it is linked where there is any.
	Links struct {
		Checkout    link `json:"checkout"`
		Refunds     link `json:"refunds"`
		Chargebacks link `json:"chargebacks"`
	} `json:"_links"`
}

func (c charge) paid() bool { return c.Status == "paid" }

// over reports whether a charge ended without a payment.
func (c charge) over() bool {
	return c.Status == "failed" || c.Status == "expired" || c.Status == "canceled"
}

// subscription charges a sum again and again. Its days are written 2006-01-02.
type subscription struct {
	named

	Status      string    `json:"status"`
	Description string    `json:"description"`
	Interval    string    `json:"interval"`
	Amount      amount    `json:"amount"`
	CustomerID  string    `json:"customerId"`
	MandateID   string    `json:"mandateId"`
	Start       string    `json:"startDate"`
	Next        string    `json:"nextPaymentDate"`
	CanceledAt  time.Time `json:"canceledAt"`
}

// live reports whether the subscription goes on, or is there at all.
func (s subscription) live() bool {
	return s.ID != "" && s.Status != "canceled" && s.Status != "completed"
}

// back is a refund.
type back struct {
	named

	Status string `json:"status"`
	Amount amount `json:"amount"`
}

// chargeback is what a bank took back.
type chargeback struct {
	ReversedAt time.Time `json:"reversedAt"`
}
