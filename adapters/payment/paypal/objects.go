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

// The objects of the API, with the fields that are read (https://developer.paypal.com/api/rest/).

// withoutDecimals are the currencies that PayPal writes without decimals, unlike ISO 4217
// (https://developer.paypal.com/api/rest/reference/currency-codes/).
const withoutDecimals = "HUF TWD"

// currencies are those that PayPal charges in (the same page).
const currencies = "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD"

// amount is a decimal number with any number of decimals.
type amount struct{ money.Amount }

// UnmarshalJSON implements json.Unmarshaler. It fails with payment.ErrAmount.
func (a *amount) UnmarshalJSON(data []byte) error {
	var written struct {
		Value string `json:"value"`
		Code  string `json:"currency_code"`
	}
	err := json.Unmarshal(data, &written)
	if err == nil {
		a.Amount, err = parseAmount(written.Value, money.Currency(written.Code))
	}
	if err != nil {
		return fmt.Errorf("read an amount of paypal: %w", err)
	}
	return nil
}

// parseAmount parses a decimal number, which may be negative and have trailing zeros.
func parseAmount(value string, of money.Currency) (money.Amount, error) {
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

// apiAmount returns an amount in the format of the API. It fails with billing.ErrRefused for an amount that PayPal
// does not accept.
func apiAmount(a money.Amount) (object, error) {
	if !strings.Contains(currencies, string(a.Currency)) {
		return nil, billing.NoCurrency(Name, a.Currency)
	}
	value := payment.Decimal(a)
	if strings.Contains(withoutDecimals, string(a.Currency)) {
		units, rest, _ := strings.Cut(value, ".")
		if strings.Trim(rest, "0") != "" {
			return nil, billing.TooExact(a)
		}
		value = units
	}
	return object{"currency_code": string(a.Currency), "value": value}, nil
}

// ourCheckout and ourRefund are the prefixes of our identifiers.
const ourCheckout, ourRefund = "chk_", "rfd_"

// marks are the content of the custom_id of an order or a subscription, which links it to ours.
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

// marked parses a custom_id; zero if it is not ours.
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

type linkedObject struct {
	Links []link `json:"links"`
}

// to returns the address of the first link with one of the relations; "" for none.
func (l linkedObject) to(rels ...string) string {
	for _, rel := range rels {
		for _, one := range l.Links {
			if one.Rel == rel {
				return one.Href
			}
		}
	}
	return ""
}

// parent returns the identifier of the parent of an object; "" for none.
func (l linkedObject) parent() string {
	if at := l.to("up"); at != "" {
		return path.Base(at)
	}
	return ""
}

type reason struct {
	Reason string `json:"reason"`
}

// order is a one-time sale.
type order struct {
	linkedObject

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
		Refunds  []refund  `json:"refunds"`
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

// related has the identifiers of objects that are related to one.
type related struct {
	IDs struct {
		Order string `json:"order_id"`
	} `json:"related_ids"`
}

// refund is a refund of a charge.
type refund struct {
	linkedObject

	ID            string `json:"id"`
	Status        string `json:"status"`
	StatusDetails reason `json:"status_details"`
	Amount        amount `json:"amount"`
	CustomID      string `json:"custom_id"`
}

// subscription is a recurring sale.
type subscription struct {
	linkedObject

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

// plan is a recurring price.
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

// dispute is a dispute of a charge. Lists do not contain its outcome.
type dispute struct {
	ID      string `json:"dispute_id"`
	Status  string `json:"status"`
	Outcome struct {
		Code string `json:"outcome_code"`
	} `json:"dispute_outcome"`
}
