package schema

import (
	"encoding"
	"errors"
	"reflect"

	"gatehouse.internal/domain/fault"
)

// reader returns what a value object has against a text that conforms to its schema,
// or "" when it accepts it.
type reader func(text []byte) string

// readerOf returns the reader of a value object, and nil for every other type.
func readerOf(t reflect.Type) reader {
	t = pointedTo(t)
	if t == nil || !isFragment(t) || !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	return func(text []byte) string {
		into, _ := reflect.New(t).Interface().(encoding.TextUnmarshaler)
		err := into.UnmarshalText(text)
		if said, ok := errors.AsType[*fault.Error](err); ok {
			return said.Message
		}
		if err != nil {
			return "has the wrong format"
		}
		return ""
	}
}

func isFragment(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[fragment]())
}

// membersOf returns the types of a struct's fields by their json names; none for a type
// that describes itself.
func membersOf(t reflect.Type) map[string]reflect.Type {
	t = pointedTo(t)
	if t == nil || t.Kind() != reflect.Struct || isFragment(t) {
		return nil
	}
	types := map[string]reflect.Type{}
	fields, _ := fieldsOf(t) // its mistakes are those of describe
	for _, f := range fields {
		types[f.name] = f.of
	}
	return types
}

// elemOf returns the type of a list's items or of a map's values; nil for other types.
func elemOf(t reflect.Type) reflect.Type {
	t = pointedTo(t)
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	default:
		return nil
	}
}

func pointedTo(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
