package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// Messages never quote the value, because it may be a password.

func oneOf(allowed []any) string { return "must be one of " + values(allowed) }

func tooShort(least int64) string {
	if least == 1 {
		return "must not be empty"
	}
	return fmt.Sprintf("must be at least %d characters long", least)
}

func tooLong(most int64) string { return fmt.Sprintf("must be at most %d characters long", most) }

func tooFew(least int64, one, many string) string {
	return "must contain at least " + count(least, one, many)
}

func tooMany(most int64, one, many string) string {
	return "must contain at most " + count(most, one, many)
}

const twice = "must not contain duplicate items"

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, name := range types {
		names[i] = typeName(name)
	}
	return strings.Join(names, " or ")
}

func typeName(name string) string {
	switch name {
	case "boolean":
		return "true or false"
	case "integer":
		return "a whole number"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "null":
		return "null"
	default:
		return "a " + name
	}
}

// values lists the values that a schema allows.
func values(allowed []any) string {
	names := make([]string, len(allowed))
	for i, value := range allowed {
		switch value := value.(type) {
		case string:
			names[i] = value
		case json.Number:
			names[i] = value.String()
		case nil:
			names[i] = "null"
		default:
			names[i] = fmt.Sprint(value)
		}
	}
	return strings.Join(names, ", ")
}

func formatName(format string) string {
	switch format {
	case "date-time":
		return "a date and time in RFC 3339 format, such as 2026-01-31T15:04:05Z"
	case "uri":
		return "an absolute URI"
	default:
		return "a UUID"
	}
}

// expected returns the beginning of an example, enough to recognize its form.
func expected(example string) string {
	const shown, whole = 8, 24
	switch {
	case example == "":
		return ""
	case utf8.RuneCountInString(example) > whole:
		return ": expected a value like " + string([]rune(example)[:shown]) + "…"
	default:
		return ": expected a value like " + example
	}
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// decimal formats a bound as a decimal number, not as a fraction like big.Rat.
func decimal(bound *big.Rat) string {
	if bound.IsInt() {
		return bound.Num().String()
	}
	return strings.TrimRight(bound.FloatString(9), "0")
}
