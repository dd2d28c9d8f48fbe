package strictjson

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// Decode decodes raw into the value that into points to. Unknown members are errors.
// The error of a value object becomes that of the member.
func Decode(raw []byte, into any) error {
	return decode(raw, into, json.RejectUnknownMembers(true))
}

// DecodeBeside is Decode for a value that shares its object with members of others: those
// that it has no field for are passed over.
func DecodeBeside(raw []byte, into any) error { return decode(raw, into) }

func decode(raw []byte, into any, options ...json.Options) error {
	err := json.Unmarshal(raw, into, options...)
	if err == nil {
		return nil
	}
	if meaning, ok := errors.AsType[*json.SemanticError](err); ok {
		return fault.Refuse(fault.Field{Path: shown(meaning.JSONPointer), Message: why(meaning)})
	}
	return malformed(err)
}

// DecodeKnown is like Decode for JSON written by this service: unknown members are
// ignored.
func DecodeKnown(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return malformed(err)
	}
	return nil
}

// why words an error without the value, which the library's text may quote.
func why(meaning *json.SemanticError) string {
	if said, ok := errors.AsType[*fault.Error](meaning.Err); ok {
		return said.Message
	}
	switch {
	case errors.Is(meaning.Err, json.ErrUnknownName):
		return "is not a known parameter"
	case errors.Is(meaning.Err, strconv.ErrRange):
		return "is out of range"
	case errors.Is(meaning.Err, strconv.ErrSyntax) && meaning.JSONKind == '0':
		return "must be a whole number without fraction or exponent"
	case meaning.Err != nil || meaning.GoType == nil:
		return "has the wrong format"
	default:
		return "must be " + wanted(meaning.GoType)
	}
}

// wanted names the kind of JSON value that a Go type is read from.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	default:
		return "of a different type"
	}
}

// shown makes a pointer of the library fit to be shown.
func shown(pointer jsontext.Pointer) string {
	if !strings.HasPrefix(string(pointer), "/") {
		return ""
	}
	var names []string
	for name := range pointer.Tokens() {
		names = append(names, name)
	}
	return fault.Pointer(names...)
}
