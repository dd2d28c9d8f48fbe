package payment

import (
	"strings"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// Stripe, and processors that charge through it, take amounts in minor units, with these exceptions
// (https://docs.stripe.com/currencies): amounts in padded currencies, which have no minor unit, have
// two zeros appended, and amounts in whole currencies are in major units.
const (
	padded, whole = "ISK UGX", "MGA"
	hundred       = 100
	// ten divides every amount that Stripe takes in a currency with three decimals.
	ten = 10
)

// Cents returns an amount in the unit of Stripe. It fails with billing.ErrRefused for an amount that
// Stripe would round.
func Cents(a money.Amount) (int64, error) {
	code := string(a.Currency)
	switch {
	case strings.Contains(padded, code):
		amount, err := a.Times(hundred)
		return amount.Minor, err
	case strings.Contains(whole, code) && a.Minor%hundred == 0:
		return a.Minor / hundred, nil
	case strings.Contains(whole, code), a.Currency.Exponent() == 3 && a.Minor%ten != 0:
		return 0, billing.TooExact(a)
	}
	return a.Minor, nil
}

// Minor converts an amount from the unit of Stripe to minor units. The code of the currency may be in
// upper or lower case.
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

// Code returns the currency with a code in upper or lower case.
func Code(c string) money.Currency { return money.Currency(strings.ToUpper(c)) }

// Lower returns the code of a currency in lower case.
func Lower(c money.Currency) string { return strings.ToLower(string(c)) }

// OfCents returns the amount of a number in the unit of Stripe.
func OfCents(cents int64, c string) money.Amount { return money.Of(Minor(cents, c), Code(c)) }
