package feature

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
)

// greatest is the largest whole number that every JSON reader keeps exactly, which is
// also the smallest without its sign.
const greatest = 1<<53 - 1

// errForm is returned for a text that is no value.
var errForm = fault.New(fault.Validation, "must be true or false, a whole number up to ±9,007,199,254,740,991, or a string of at most 255 characters")

// Value is a boolean, a whole number or a text. The zero value is no value. Values are
// comparable with ==.
type Value struct{ of any }

// Of returns the value that JSON read as a bool, a float64 or a string; none of
// anything else.
func Of(read any) Value {
	switch given := read.(type) {
	case bool, string:
		return Value{given}
	case float64:
		if given == math.Trunc(given) && !external.Rounded(given) {
			return Value{int64(given)}
		}
	}
	return Value{}
}

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v.of == nil }

// On reports whether the value is true.
func (v Value) On() bool { return v.of == true }

// Plain returns the value as a bool, an int64 or a string; nil for none.
func (v Value) Plain() any { return v.of }

// Type returns the type of the value; "" for none.
func (v Value) Type() Type {
	switch v.of.(type) {
	case bool:
		return Bool
	case int64:
		return Int
	case string:
		return Text
	default:
		return ""
	}
}

// exceeds reports whether a value is greater than another of its type: true than false,
// and a number than smaller ones. Texts are never greater.
func (v Value) exceeds(other Value) bool {
	switch given := v.of.(type) {
	case bool:
		return given && other.of != true
	case int64:
		less, ok := other.of.(int64)
		return ok && given > less
	default:
		return false
	}
}

// AppendJSON writes the value as JSON.
func (v Value) AppendJSON(to []byte) ([]byte, error) {
	switch given := v.of.(type) {
	case bool:
		return strconv.AppendBool(to, given), nil
	case int64:
		return strconv.AppendInt(to, given, 10), nil
	default:
		encoded, err := json.Marshal(given)
		return append(to, encoded...), err
	}
}

// MarshalJSON writes the value; none is null.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// UnmarshalJSON decodes a value. It fails with a validation fault.
func (v *Value) UnmarshalJSON(raw []byte) error {
	if number, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64); err == nil && number >= -greatest && number <= greatest {
		*v = Value{number}
		return nil
	}
	var read any
	if err := json.Unmarshal(raw, &read); err != nil {
		return errForm
	}
	*v = Of(read)
	if text, is := v.of.(string); v.of == nil || is && utf8.RuneCountInString(text) > maxText {
		return errForm
	}
	return nil
}

// SchemaFragment describes the value in a JSON Schema.
func (Value) SchemaFragment() map[string]any {
	return map[string]any{
		"type": []any{"boolean", "integer", "string"}, "minimum": -greatest, "maximum": greatest, "maxLength": maxText, "examples": []any{true},
	}
}
