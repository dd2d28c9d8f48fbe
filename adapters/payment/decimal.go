package payment

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gatehouse.internal/domain/money"
)

// ErrAmount says that a processor sent an invalid amount.
var ErrAmount = errors.New("the amount does not have the decimals of its currency")

// Decimal returns an amount as a decimal number, with all decimals of its currency and without its
// code: 12.50, or 1250 of a currency without a minor unit.
func Decimal(a money.Amount) string {
	value, _, _ := strings.Cut(a.String(), " ")
	return value
}

// OfDecimal parses an amount in the format of Decimal. It fails with ErrAmount, also for an amount that is
// negative or exceeds 2^53 - 1 minor units.
func OfDecimal(value, code string) (money.Amount, error) {
	currency := money.Currency(code)
	whole, rest, decimal := strings.Cut(value, ".")
	minor, err := strconv.ParseUint(whole+rest, 10, 53)
	if err != nil || !currency.Known() || whole == "" || decimal != (rest != "") || len(rest) != currency.Exponent() {
		return money.Amount{}, fmt.Errorf("%w: %q %q", ErrAmount, value, code)
	}
	return money.Of(int64(minor), currency), nil
}
