package payment

import (
	"fmt"
	"strings"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// Cents are amounts of Stripe, and of processors that charge by it: in minor units, but for
// these (https://docs.stripe.com/currencies). Two currencies without minor units are written
// with two zeros, and one with minor units without them.
const (
	padded, whole = "ISK UGX", "MGA"
	hundred       = 100
	// ten divides every amount in a currency with three decimals.
	ten = 10
)

// Cents returns an amount as Stripe takes it. It fails with billing.ErrRefused for one that Stripe
// would round.
func Cents(a money.Amount) (int64, error) {
	code := string(a.Currency)
	switch {
	case strings.Contains(padded, code):
		amount, err := a.Times(hundred)
		return amount.Minor, err
	case strings.Contains(whole, code) && a.Minor%hundred == 0:
		return a.Minor / hundred, nil
	case strings.Contains(whole, code), a.Currency.Exponent() == 3 && a.Minor%ten != 0:
		return 0, fmt.Errorf("%w: no amount of %s can be charged", billing.ErrRefused, a)
	}
	return a.Minor, nil
}

// Minor returns a sum of Stripe's in minor units; the currency is in either case.
func Minor(cents int64, currency string) int64 {
	code := string(Code(currency))
	switch {
	case strings.Contains(padded, code):
		return cents / hundred
	case strings.Contains(whole, code):
		return cents * hundred
	}
	return cents
}

// Code returns a currency by its code in either case.
func Code(c string) money.Currency { return money.Currency(strings.ToUpper(c)) }

// Lower returns the code of a currency in lower case.
func Lower(c money.Currency) string { return strings.ToLower(string(c)) }

// OfCents returns an amount of Stripe's.
func OfCents(cents int64, c string) money.Amount { return money.Of(Minor(cents, c), Code(c)) }
