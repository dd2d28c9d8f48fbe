package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// describe writes the JSON Schema of a type.
func describe(t reflect.Type) ([]byte, error) {
	if t == nil {
		return nil, errors.New("no type given")
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if why := objection(t); why != "" {
		return nil, fmt.Errorf("%s: %s", t, why)
	}
	var d describer
	described := d.reflector(nil).ReflectFromType(t)
	if d.err != nil {
		return nil, d.err
	}
	written, err := json.Marshal(described)
	if err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	// encoding/json escapes <, > and &, which only makes patterns unreadable.
	document := jsontext.Value(written)
	if err := document.Format(); err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return document, nil
}

// describer derives one schema. It keeps track of the structs that it is inside of.
type describer struct {
	open []reflect.Type
	err  error
}

// reflector returns a reflector that uses the describer for every type except inner.
func (d *describer) reflector(inner reflect.Type) *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous: true, DoNotReference: true, ExpandedStruct: true,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if t == inner {
				inner = nil
				return nil
			}
			return d.mapped(t)
		},
	}
}

// mapped describes a type that the library would describe differently or not at all. It
// returns nil for all other types.
func (d *describer) mapped(t reflect.Type) *jsonschema.Schema {
	if own, _ := ownForm(t); own != nil {
		return own
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.object(t)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	default:
		return nil
	}
}

// object describes a struct. Its fields are checked first, because the library ignores some
// mistakes, and panics or does not return on others.
func (d *describer) object(t reflect.Type) *jsonschema.Schema {
	if slices.Contains(d.open, t) {
		d.fail(fmt.Errorf("%s contains itself", t))
	}
	fields, err := fieldsOf(t)
	d.fail(err)
	if d.err != nil {
		return &jsonschema.Schema{}
	}
	d.open = append(d.open, t)
	described := d.reflector(t).ReflectFromType(t)
	d.open = d.open[:len(d.open)-1]
	described.Version = ""
	if len(d.open) == 0 {
		described.Version = jsonschema.Version
	}
	for _, f := range fields {
		if property, found := described.Properties.Get(f.name); found && d.err == nil {
			d.fail(f.finish(property))
		}
	}
	return described
}

// fail keeps the first error, because the hooks of the library cannot return one.
func (d *describer) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
