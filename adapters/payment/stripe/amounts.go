package stripe

import (
	"fmt"
	"strings"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// Amounts of Stripe are in minor units, but for these (https://docs.stripe.com/currencies):
// two currencies without minor units are written with two zeros, and one with minor units
// without them.
const (
	padded, whole = "ISK UGX", "MGA"
	hundred       = 100
	// ten divides every amount in a currency with three decimals.
	ten = 10
)

// sent is an amount as Stripe takes it. It fails with billing.ErrRefused for one that Stripe
// would round.
func sent(a money.Amount) (int64, error) {
	code := string(a.Currency)
	switch {
	case strings.Contains(padded, code):
		amount, err := a.Times(hundred)
		return amount.Minor, err
	case strings.Contains(whole, code) && a.Minor%hundred == 0:
		return a.Minor / hundred, nil
	case strings.Contains(whole, code), a.Currency.Exponent() == 3 && a.Minor%ten != 0:
		return 0, fmt.Errorf("%w: stripe takes no amount of %s", billing.ErrRefused, a)
	}
	return a.Minor, nil
}

// told is a sum that Stripe tells, in minor units.
func told(minor int64, currency string) int64 {
	code := string(code(currency))
	switch {
	case strings.Contains(padded, code):
		return minor / hundred
	case strings.Contains(whole, code):
		return minor * hundred
	}
	return minor
}

func code(c string) money.Currency { return money.Currency(strings.ToUpper(c)) }

func amount(minor int64, c string) money.Amount { return money.Of(told(minor, c), code(c)) }
