package stripe

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
)

// The objects of the API, as far as they are read (https://docs.stripe.com/api).

// expandable is an object that is told by its identifier, unless it was to be expanded.
type expandable[T any] struct {
	ID     string
	Object *T
}

// UnmarshalJSON reads either form; null is neither.
func (e *expandable[T]) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > 0 && data[0] == '"':
		return decode(data, &e.ID)
	case len(data) > 0 && data[0] == '{':
		var named named
		if err := decode(data, &named); err != nil {
			return err
		}
		e.ID, e.Object = named.ID, new(T)
		return decode(data, e.Object)
	}
	return nil
}

func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read an object of stripe: %w", err)
	}
	return nil
}

type named struct {
	ID string `json:"id"`
}

func (n named) id() string { return n.ID }

type session struct {
	named

	Status       string             `json:"status"`
	URL          string             `json:"url"`
	ExpiresAt    int64              `json:"expires_at"`
	Currency     string             `json:"currency"`
	Subtotal     int64              `json:"amount_subtotal"`
	TotalDetails totalDetails       `json:"total_details"`
	Metadata     map[string]string  `json:"metadata"`
	LineItems    page[item]         `json:"line_items"`
	Customer     expandable[named]  `json:"customer"`
	Subscription expandable[sub]    `json:"subscription"`
	Invoice      expandable[bill]   `json:"invoice"`
	Intent       expandable[intent] `json:"payment_intent"`
}

type totalDetails struct {
	Discount int64 `json:"amount_discount"`
}

// item is a line of a session, or of a subscription.
type item struct {
	named

	Price       named `json:"price"`
	Quantity    int64 `json:"quantity"`
	PeriodStart int64 `json:"current_period_start"`
	PeriodEnd   int64 `json:"current_period_end"`
}

type sub struct {
	named

	Status      string            `json:"status"`
	Metadata    map[string]string `json:"metadata"`
	Customer    expandable[named] `json:"customer"`
	Items       page[item]        `json:"items"`
	AtPeriodEnd bool              `json:"cancel_at_period_end"`
	CancelAt    int64             `json:"cancel_at"`
	CanceledAt  int64             `json:"canceled_at"`
	EndedAt     int64             `json:"ended_at"`
	TrialEnd    int64             `json:"trial_end"`
	Pause       *struct{}         `json:"pause_collection"`
}

type bill struct {
	named

	Status    string         `json:"status"`
	Number    string         `json:"number"`
	Currency  string         `json:"currency"`
	Total     int64          `json:"total"`
	Created   int64          `json:"created"`
	PDF       string         `json:"invoice_pdf"`
	Discounts []sum          `json:"total_discount_amounts"`
	Taxes     []sum          `json:"total_taxes"`
	Lines     page[billLine] `json:"lines"`
	Payments  page[link]     `json:"payments"`
	Parent    parent         `json:"parent"`
	Times     struct {
		FinalizedAt int64 `json:"finalized_at"`
		PaidAt      int64 `json:"paid_at"`
	} `json:"status_transitions"`
}

type sum struct {
	Amount int64 `json:"amount"`
}

type billLine struct {
	Description string `json:"description"`
	Quantity    int64  `json:"quantity"`
	Amount      int64  `json:"amount"`
	Period      struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	} `json:"period"`
}

// parent is what an invoice is for.
type parent struct {
	Subscription struct {
		ID expandable[named] `json:"subscription"`
	} `json:"subscription_details"`
}

// link is a payment of an invoice.
type link struct {
	named

	Invoice expandable[bill] `json:"invoice"`
	Payment struct {
		Intent expandable[named] `json:"payment_intent"`
	} `json:"payment"`
}

type intent struct {
	named

	Status   string             `json:"status"`
	Currency string             `json:"currency"`
	Amount   int64              `json:"amount"`
	Received int64              `json:"amount_received"`
	Charge   expandable[charge] `json:"latest_charge"`
	Failure  *struct {
		Message string `json:"message"`
	} `json:"last_payment_error"`
}

type charge struct {
	Disputed bool       `json:"disputed"`
	Refunds  page[back] `json:"refunds"`
}

// back is a refund.
type back struct {
	named

	Status   string            `json:"status"`
	Currency string            `json:"currency"`
	Amount   int64             `json:"amount"`
	Failure  string            `json:"failure_reason"`
	Metadata map[string]string `json:"metadata"`
}

type dispute struct {
	named

	Status string `json:"status"`
}

// disputed is the state of a dispute; an inquiry, in which no money moves, is none.
func (d dispute) disputed() billing.Dispute {
	return map[string]billing.Dispute{
		"needs_response": billing.DisputeOpen, "under_review": billing.DisputeOpen, "lost": billing.DisputeLost,
		"won": billing.DisputeWon, "prevented": billing.DisputeWon,
	}[d.Status]
}

type meter struct {
	named

	EventName string `json:"event_name"`
}

type portal struct {
	URL string `json:"url"`
}
