package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// message words what the library found, in our own terms: it must not quote the
// value, which may be a password.
func message(found validator.ErrorKind, hint string) string {
	switch found := found.(type) {
	case *kind.Type:
		return "must be " + typeNames(found.Want)
	case *kind.Enum:
		return "must be one of " + values(found.Want)
	case *kind.Const:
		return "must be " + values([]any{found.Want})
	case *kind.Format:
		return "must be " + formatName(found.Want)
	case *kind.Pattern:
		return "has the wrong form" + expected(hint)
	case *kind.ContentEncoding:
		return "must be " + found.Want
	case *kind.UniqueItems:
		return "must not hold the same item twice"
	default:
		return sizeMessage(found)
	}
}

// sizeMessage words what is too much or too little.
func sizeMessage(found validator.ErrorKind) string {
	switch found := found.(type) {
	case *kind.MinLength:
		if found.Want == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must be at least %d characters long", found.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must be at most %d characters long", found.Want)
	case *kind.MinItems:
		return "must hold at least " + count(found.Want, "item", "items")
	case *kind.MaxItems:
		return "must hold at most " + count(found.Want, "item", "items")
	case *kind.MinProperties:
		return "must hold at least " + count(found.Want, "property", "properties")
	case *kind.MaxProperties:
		return "must hold at most " + count(found.Want, "property", "properties")
	case *kind.Minimum:
		return "must be at least " + number(found.Want)
	case *kind.Maximum:
		return "must be at most " + number(found.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(found.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(found.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(found.Want)
	case *kind.FalseSchema:
		return "is not allowed"
	default:
		return "has none of the allowed forms"
	}
}

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

// values lists what a schema allows; the schema's values, not the client's.
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
		return "a date and time as in RFC 3339, such as 2026-01-31T15:04:05Z"
	case "date":
		return "a date such as 2026-01-31"
	case "uri":
		return "an absolute URI"
	case "uuid":
		return "a UUID"
	default:
		return "a valid " + format
	}
}

// expected shows the beginning of an example, enough to know the form by.
func expected(example string) string {
	const shown, whole = 8, 24
	switch {
	case example == "":
		return ""
	case utf8.RuneCountInString(example) > whole:
		return ", expected like " + string([]rune(example)[:shown]) + "…"
	default:
		return ", expected like " + example
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// number writes a bound without the fraction that big.Rat would.
func number(bound *big.Rat) string {
	if bound.IsInt() {
		return bound.Num().String()
	}
	return strings.TrimRight(bound.FloatString(9), "0")
}
