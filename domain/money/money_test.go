package money_test

import (
	"errors"
	"testing"

	"gatehouse.internal/domain/money"
)

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for code, want := range map[money.Currency]int{
		"EUR": 2, "USD": 2, "JPY": 0, "KRW": 0, "ISK": 0, "HUF": 2, "KWD": 3, "TND": 3, "MGA": 2, "UGX": 0,
	} {
		if !code.Known() || code.Exponent() != want {
			t.Errorf("%s has %d decimals, known %t; want %d", code, code.Exponent(), code.Known(), want)
		}
	}
	for _, code := range []money.Currency{"", "eur", "ZZZ", "XTS", "XAU", "EURO", "CLF", "BTC", "ABC"} {
		if code.Known() {
			t.Errorf("%q is taken for a currency", code)
		}
	}
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	eur := func(minor int64) money.Amount { return money.Of(minor, "EUR") }
	for name, c := range map[string]struct {
		got  func() (money.Amount, error)
		want int64
		err  error
	}{
		"plus":              {func() (money.Amount, error) { return eur(5).Plus(eur(7)) }, 12, nil},
		"plus the most":     {func() (money.Amount, error) { return eur(money.Most - 1).Plus(eur(1)) }, money.Most, nil},
		"plus beyond":       {func() (money.Amount, error) { return eur(money.Most).Plus(eur(1)) }, 0, money.ErrRange},
		"plus far beyond":   {func() (money.Amount, error) { return eur(1).Plus(eur(1<<63 - 1)) }, 0, money.ErrRange},
		"plus another":      {func() (money.Amount, error) { return eur(5).Plus(money.Of(5, "USD")) }, 0, money.ErrCurrencies},
		"minus":             {func() (money.Amount, error) { return eur(5).Minus(eur(7)) }, -2, nil},
		"minus another":     {func() (money.Amount, error) { return eur(5).Minus(money.Of(5, "JPY")) }, 0, money.ErrCurrencies},
		"times":             {func() (money.Amount, error) { return eur(1999).Times(3) }, 5997, nil},
		"times the most":    {func() (money.Amount, error) { return eur(money.Most).Times(1) }, money.Most, nil},
		"times beyond":      {func() (money.Amount, error) { return eur(money.Most).Times(2) }, 0, money.ErrRange},
		"times far beyond":  {func() (money.Amount, error) { return eur(1 << 52).Times(1 << 52) }, 0, money.ErrRange},
		"times a negative":  {func() (money.Amount, error) { return eur(1).Times(-1) }, 0, money.ErrRange},
		"a negative times":  {func() (money.Amount, error) { return eur(-1).Times(1) }, 0, money.ErrRange},
		"percent":           {func() (money.Amount, error) { return eur(1000).Percent(25) }, 250, nil},
		"half rounds up":    {func() (money.Amount, error) { return eur(150).Percent(1) }, 2, nil},
		"less rounds down":  {func() (money.Amount, error) { return eur(149).Percent(1) }, 1, nil},
		"all of the most":   {func() (money.Amount, error) { return eur(money.Most).Percent(100) }, money.Most, nil},
		"nothing":           {func() (money.Amount, error) { return eur(money.Most).Percent(0) }, 0, nil},
		"percent beyond":    {func() (money.Amount, error) { return eur(1).Percent(101) }, 0, money.ErrRange},
		"negative percents": {func() (money.Amount, error) { return eur(1).Percent(-1) }, 0, money.ErrRange},
	} {
		got, err := c.got()
		if !errors.Is(err, c.err) || (err == nil && got != eur(c.want)) {
			t.Errorf("%s: %v, %v; want %d, %v", name, got, err, c.want, c.err)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	for want, amount := range map[string]money.Amount{
		"12.50 EUR": money.Of(1250, "EUR"), "0.05 EUR": money.Of(5, "EUR"), "-0.05 EUR": money.Of(-5, "EUR"), "0.00 EUR": money.Of(0, "EUR"),
		"1250 JPY": money.Of(1250, "JPY"), "-7 JPY": money.Of(-7, "JPY"), "1.250 KWD": money.Of(1250, "KWD"), "0.001 KWD": money.Of(1, "KWD"),
	} {
		if got := amount.String(); got != want {
			t.Errorf("%d of %s is written %q, want %q", amount.Minor, amount.Currency, got, want)
		}
	}
}
