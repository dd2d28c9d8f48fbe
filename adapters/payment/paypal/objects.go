package paypal

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// The objects of the API, as far as they are read (https://developer.paypal.com/api/rest/).

// whole are currencies that PayPal writes without decimals, against ISO 4217
// (https://developer.paypal.com/api/rest/reference/currency-codes/).
const whole = "HUF TWD"

// amount is written as a decimal number, with as many decimals as PayPal likes.
type amount struct{ money.Amount }

// UnmarshalJSON reads an amount. It fails with payment.ErrAmount.
func (a *amount) UnmarshalJSON(data []byte) error {
	var written struct {
		Value string `json:"value"`
		Code  string `json:"currency_code"`
	}
	err := json.Unmarshal(data, &written)
	if err == nil {
		a.Amount, err = read(written.Value, money.Currency(written.Code))
	}
	if err != nil {
		return fmt.Errorf("read an amount of paypal: %w", err)
	}
	return nil
}

func read(value string, of money.Currency) (money.Amount, error) {
	value, negative := strings.CutPrefix(value, "-")
	units, rest, _ := strings.Cut(value, ".")
	rest = strings.TrimRight(rest, "0")
	if missing := of.Exponent() - len(rest); missing > 0 {
		rest += strings.Repeat("0", missing)
	}
	if rest != "" {
		units += "." + rest
	}
	sum, err := payment.OfDecimal(units, string(of))
	if negative {
		sum.Minor = -sum.Minor
	}
	return sum, err
}

// written returns an amount as calls have it. It fails with billing.ErrRefused for one that PayPal
// would not take.
func written(a money.Amount) (object, error) {
	value := payment.Decimal(a)
	if strings.Contains(whole, string(a.Currency)) {
		units, rest, _ := strings.Cut(value, ".")
		if strings.Trim(rest, "0") != "" {
			return nil, fmt.Errorf("%w: no amount of %s can be charged", billing.ErrRefused, a)
		}
		value = units
	}
	return object{"currency_code": string(a.Currency), "value": value}, nil
}

// ourCheckout and ourRefund are what our identifiers begin with.
const ourCheckout, ourRefund = "chk_", "rfd_"

// marks say of an order or a subscription what of ours it is: they are its custom_id.
type marks struct {
	checkout billing.CheckoutID
	price    string
	quantity int64
	// interval is that of a subscription; empty for an order.
	interval billing.Interval
}

func (m marks) String() string {
	fields := []string{m.checkout.String(), m.price, strconv.FormatInt(m.quantity, 10)}
	if m.interval != "" {
		fields = append(fields, string(m.interval))
	}
	return strings.Join(fields, ",")
}

// marked reads marks; zero ones of what is not ours.
func marked(custom string) marks {
	const least, most = 3, 4
	fields := strings.Split(custom, ",")
	if len(fields) < least || len(fields) > most {
		return marks{}
	}
	quantity, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || !strings.HasPrefix(fields[0], ourCheckout) {
		return marks{}
	}
	m := marks{checkout: billing.CheckoutID(fields[0]), price: fields[1], quantity: quantity}
	if len(fields) == most {
		m.interval = billing.Interval(fields[3])
	}
	return m
}

type link struct {
	Href string `json:"href"`
	Rel  string `json:"rel"`
}

type linked struct {
	Links []link `json:"links"`
}

// to returns the address of the first link of some kinds; "" for none.
func (l linked) to(rels ...string) string {
	for _, rel := range rels {
		for _, one := range l.Links {
			if one.Rel == rel {
				return one.Href
			}
		}
	}
	return ""
}

// parent returns the identifier of what an object belongs to; "" for nothing.
func (l linked) parent() string {
	if at := l.to("up"); at != "" {
		return path.Base(at)
	}
	return ""
}

type reason struct {
	Reason string `json:"reason"`
}

// order is what is sold for once.
type order struct {
	linked

	ID        string    `json:"id"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"create_time"`
	Units     []unit    `json:"purchase_units"`
}

type unit struct {
	Amount      amount `json:"amount"`
	CustomID    string `json:"custom_id"`
	Description string `json:"description"`
	Payments    struct {
		Captures []capture `json:"captures"`
		Refunds  []back    `json:"refunds"`
	} `json:"payments"`
}

// capture is a charge of an order.
type capture struct {
	ID            string    `json:"id"`
	Status        string    `json:"status"`
	StatusDetails reason    `json:"status_details"`
	Amount        amount    `json:"amount"`
	CreatedAt     time.Time `json:"create_time"`
	Supplementary related   `json:"supplementary_data"`
}

// related is what else belongs to an object.
type related struct {
	IDs struct {
		Order string `json:"order_id"`
	} `json:"related_ids"`
}

// back is a refund.
type back struct {
	linked

	ID            string `json:"id"`
	Status        string `json:"status"`
	StatusDetails reason `json:"status_details"`
	Amount        amount `json:"amount"`
	CustomID      string `json:"custom_id"`
}

// subscription is what is paid again and again.
type subscription struct {
	linked

	ID        string    `json:"id"`
	Status    string    `json:"status"`
	Note      string    `json:"status_change_note"`
	ChangedAt time.Time `json:"status_update_time"`
	PlanID    string    `json:"plan_id"`
	Start     time.Time `json:"start_time"`
	Quantity  string    `json:"quantity"`
	CustomID  string    `json:"custom_id"`
	CreatedAt time.Time `json:"create_time"`
	Billing   struct {
		Outstanding amount    `json:"outstanding_balance"`
		Failed      int       `json:"failed_payments_count"`
		Next        time.Time `json:"next_billing_time"`
		Last        struct {
			Amount amount    `json:"amount"`
			Time   time.Time `json:"time"`
		} `json:"last_payment"`
	} `json:"billing_info"`
	Plan plan `json:"plan"`
}

// plan is a price.
type plan struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	PerSeat     bool    `json:"quantity_supported"`
	Cycles      []cycle `json:"billing_cycles"`
}

type cycle struct {
	Tenure string `json:"tenure_type"`
	Scheme struct {
		Fixed amount `json:"fixed_price"`
	} `json:"pricing_scheme"`
}

// transaction is a charge of a subscription.
type transaction struct {
	ID            string    `json:"id"`
	Status        string    `json:"status"`
	StatusDetails reason    `json:"status_details"`
	Time          time.Time `json:"time"`
	Amounts       struct {
		Gross amount `json:"gross_amount"`
		Tax   amount `json:"tax_amount"`
	} `json:"amount_with_breakdown"`
}

// dispute is what a buyer complains about. Its outcome is told by itself alone, not in lists.
type dispute struct {
	ID      string `json:"dispute_id"`
	Status  string `json:"status"`
	Outcome struct {
		Code string `json:"outcome_code"`
	} `json:"dispute_outcome"`
}
