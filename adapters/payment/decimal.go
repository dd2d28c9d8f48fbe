package payment

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gatehouse.internal/domain/money"
)

// ErrAmount says that a processor tells an amount that is none.
var ErrAmount = errors.New("an amount is not written with the decimals of its currency")

// Decimal returns an amount as a decimal number, with all decimals of its currency and without its
// code: 12.50, or 1250 of a currency without a minor unit.
func Decimal(a money.Amount) string {
	value, _, _ := strings.Cut(a.String(), " ")
	return value
}

// OfDecimal returns an amount that is written as Decimal writes it. It fails with ErrAmount, also
// for one that is negative, or beyond what can be told exactly.
func OfDecimal(value, code string) (money.Amount, error) {
	currency := money.Currency(code)
	whole, rest, decimal := strings.Cut(value, ".")
	minor, err := strconv.ParseUint(whole+rest, 10, 53)
	if err != nil || !currency.Known() || whole == "" || decimal != (rest != "") || len(rest) != currency.Exponent() {
		return money.Amount{}, fmt.Errorf("%w: %q %q", ErrAmount, value, code)
	}
	return money.Of(int64(minor), currency), nil
}
