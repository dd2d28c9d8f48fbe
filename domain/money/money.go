// Package money is amounts of money: whole minor units of a currency of ISO 4217, never a
// float (spec/billing.md section 1). Whatever would mix two currencies, or leave the numbers
// that every program reads exactly, fails.
package money

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// Most is the greatest amount in minor units: the greatest whole number that JSON carries
// to every reader exactly (RFC 8259 section 6).
const Most = 1<<53 - 1

// Errors of arithmetic.
var (
	ErrCurrencies = errors.New("cannot combine amounts in different currencies")
	ErrRange      = errors.New("the amount is too large to represent exactly")
)

// Amount is a sum of money. The zero one is of no currency.
type Amount struct {
	// Minor counts the smallest units of the currency, such as cents.
	Minor    int64    `audit:"minor"`
	Currency Currency `audit:"currency"`
}

// Of makes an amount.
func Of(minor int64, currency Currency) Amount { return Amount{minor, currency} }

// Plus adds two amounts. It fails with ErrCurrencies and ErrRange.
func (a Amount) Plus(b Amount) (Amount, error) { return a.moved(b, b.Minor) }

// Minus takes an amount away. It fails like Plus.
func (a Amount) Minus(b Amount) (Amount, error) { return a.moved(b, -b.Minor) }

func (a Amount) moved(b Amount, by int64) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, ErrCurrencies
	}
	if by > Most || by < -Most {
		return Amount{}, ErrRange
	}
	return bounded(a.Minor+by, a.Currency)
}

// Times multiplies an amount that is not negative. It fails with ErrRange.
func (a Amount) Times(n int64) (Amount, error) {
	if a.Minor < 0 || n < 0 {
		return Amount{}, ErrRange
	}
	high, low := bits.Mul64(uint64(a.Minor), uint64(n))
	if high != 0 || low > Most {
		return Amount{}, ErrRange
	}
	return Amount{int64(low), a.Currency}, nil
}

// percents is the whole in percent.
const percents = 100

// Percent returns a share of an amount that is not negative, half a unit rounded up.
func (a Amount) Percent(percent int) (Amount, error) {
	if a.Minor < 0 || a.Minor > Most || percent < 0 || percent > percents {
		return Amount{}, ErrRange
	}
	return Amount{(a.Minor*int64(percent) + percents/2) / percents, a.Currency}, nil
}

func bounded(minor int64, currency Currency) (Amount, error) {
	if minor > Most || minor < -Most {
		return Amount{}, ErrRange
	}
	return Amount{minor, currency}, nil
}

// String writes the amount for people, such as "12.50 EUR".
func (a Amount) String() string {
	digits, sign := strconv.FormatInt(a.Minor, 10), ""
	if a.Minor < 0 {
		digits, sign = digits[1:], "-"
	}
	decimals := a.Currency.Exponent()
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	whole, rest := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole + " " + string(a.Currency)
}
