package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// fragment is a type that describes itself.
type fragment interface{ SchemaFragment() map[string]any }

// forms remembers the types whose JSON does not follow from their kind, because most fields
// have one of a few types.
var forms memo[reflect.Type, *jsonschema.Schema] //nolint:gochecknoglobals // nothing in it depends on who asks

// ownForm describes a type whose JSON does not follow from its kind, and returns nil for all
// other types. The caller may modify the result.
func ownForm(t reflect.Type) (*jsonschema.Schema, error) {
	form, err := forms.of(t, formOf)
	if form == nil {
		return nil, err
	}
	own := *form
	own.Extras = maps.Clone(form.Extras)
	return &own, nil
}

func formOf(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Pointer {
		return nil, nil
	}
	switch value := reflect.New(t).Interface().(type) {
	case fragment:
		return fromFragment(value.SchemaFragment())
	case *time.Time:
		return &jsonschema.Schema{Type: "string", Format: "date-time"}, nil
	case *jsontext.Value, *json.RawMessage:
		return &jsonschema.Schema{}, nil
	case encoding.TextMarshaler, encoding.TextUnmarshaler:
		return &jsonschema.Schema{Type: "string"}, nil
	case *time.Duration:
		return nil, fmt.Errorf("a duration has no JSON form: use a number of seconds")
	case json.Marshaler, json.Unmarshaler, jsonv2.MarshalerTo, jsonv2.UnmarshalerFrom:
		return nil, fmt.Errorf("it marshals itself: give it a SchemaFragment")
	}
	if t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8 {
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}, nil
	}
	return nil, nil
}

// fromFragment converts the description that a type has of itself. The keyword type is kept
// apart from the others, because the library chooses by it which tags to read.
func fromFragment(described map[string]any) (*jsonschema.Schema, error) {
	raw, err := json.Marshal(described)
	if err != nil {
		return nil, fmt.Errorf("its SchemaFragment is no JSON: %w", err)
	}
	for _, keyword := range []string{"$ref", "$defs", "$id", "$dynamicRef", "$schema"} {
		if bytes.Contains(raw, []byte(`"`+keyword+`":`)) {
			return nil, fmt.Errorf("its SchemaFragment uses %s which must be written out", keyword)
		}
	}
	var extras map[string]any
	if err := json.Unmarshal(raw, &extras); err != nil {
		return nil, fmt.Errorf("its SchemaFragment is no object: %w", err)
	}
	own := &jsonschema.Schema{Extras: extras}
	if only, ok := extras["type"].(string); ok {
		own.Type = only
		delete(extras, "type")
	}
	return own, nil
}

// objection returns why a type cannot have a schema, or "" if it can.
func objection(t reflect.Type) string {
	own, err := ownForm(t)
	switch {
	case err != nil:
		return err.Error()
	case own != nil:
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return objection(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return "the keys of a map must be strings"
		}
		return objection(t.Elem())
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return "an interface with methods cannot be read from JSON"
		}
		return ""
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128,
		reflect.Uintptr, reflect.UnsafePointer, reflect.Invalid:
		return "a " + t.Kind().String() + " has no JSON form"
	default:
		return ""
	}
}
