package payment_test

import (
	"errors"
	"testing"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/money"
)

// Amounts are written with the decimals of their currency, and read with no others.
func TestDecimals(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]money.Amount{
		"12.50": money.Of(1250, "EUR"), "0.01": money.Of(1, "USD"), "0.00": money.Of(0, "EUR"), "1250": money.Of(1250, "JPY"), "0": money.Of(0, "JPY"),
		"1.250": money.Of(1250, "KWD"), "90071992547409.91": money.Of(money.Most, "EUR"),
	} {
		got := payment.Decimal(a)
		back, err := payment.OfDecimal(got, string(a.Currency))
		if got != want || err != nil || back != a {
			t.Errorf("%v is %q, want %q; read it is %v, %v", a, got, want, back, err)
		}
	}
	for value, code := range map[string]string{
		"12.5": "EUR", "12": "EUR", "12.500": "EUR", "12.50": "JPY", "12.": "JPY", ".50": "EUR", "-1.00": "EUR", "+1.00": "USD", "1e2": "JPY", "": "JPY",
		"1,00": "EUR", "90071992547409.92": "EUR", "1.00": "eur", "2.00": "XTS", "1_0": "JPY", " 1.00": "GBP",
	} {
		if got, err := payment.OfDecimal(value, code); !errors.Is(err, payment.ErrAmount) {
			t.Errorf("%q of %q is %v, %v", value, code, got, err)
		}
	}
}
