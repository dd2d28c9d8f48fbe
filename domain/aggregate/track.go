package aggregate

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gatehouse.internal/domain/event"
)

// Track has the changes of an aggregate of configuration kept with its events: state points
// to the struct that it is kept in. A field is shown under the name in its tag audit, and one
// tagged "-", such as a secret, never; a field without that tag is left out too, but for those of
// an embedded struct. It is called where the aggregate is made and where it is restored.
func (r *Root) Track(state any) {
	r.state = state
	if r.version > 0 {
		r.before, r.failed = Shown(state)
	}
}

// Difference returns the change of the state by the pending events; nil for an
// aggregate that is not tracked. After an event with the verb deleted or removed, the
// new state is null.
func (r *Root) Difference() (*event.Change, error) {
	if r.state == nil || len(r.pending) == 0 || r.failed != nil {
		return nil, r.failed
	}
	after, err := Shown(r.state)
	if err != nil {
		return nil, err
	}
	change := &event.Change{Object: identifier(after), Before: r.before, After: after}
	if _, verb, _ := strings.Cut(string(r.pending[len(r.pending)-1].Kind()), "."); verb == "deleted" || verb == "removed" {
		change.After = nil
	}
	r.before = change.After
	return change, nil
}

// Shown returns the audited fields of a state as JSON, as described at Track.
func Shown(state any) ([]byte, error) {
	encoded, err := json.Marshal(shown(reflect.ValueOf(state)))
	if err != nil {
		return nil, fmt.Errorf("show the state of %T: %w", state, err)
	}
	return encoded, nil
}

func identifier(state []byte) string {
	var of struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(state, &of) // an identifier that is no text is none
	return of.ID
}

// shown converts structs with tagged fields to maps, at any depth.
func shown(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return shown(v.Elem())
	case reflect.Slice:
		if tagged(v.Type().Elem()) {
			list := make([]any, v.Len())
			for i := range list {
				list[i] = shown(v.Index(i))
			}
			return list
		}
	case reflect.Struct:
		if tagged(v.Type()) {
			into := map[string]any{}
			fields(v, into)
			return into
		}
	default:
	}
	switch plain := v.Interface().(type) {
	case time.Duration:
		return plain.Seconds()
	case time.Time:
		if plain.IsZero() {
			return nil
		}
	}
	return v.Interface()
}

// fields puts the fields of a struct, and those of the structs that it embeds, into a map.
func fields(v reflect.Value, into map[string]any) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch name := field.Tag.Get("audit"); {
		case name == "-":
		case name != "":
			into[name] = shown(v.Field(i))
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			fields(v.Field(i), into)
		}
	}
}

// tagged reports whether a type is a struct with audit tags.
func tagged(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return false
	}
	for i := range t.NumField() {
		if field := t.Field(i); field.Tag.Get("audit") != "" || field.Anonymous && tagged(field.Type) {
			return true
		}
	}
	return false
}

// Between returns the change of configuration that is no aggregate, out of its state before
// and after; nil is none.
func Between(object string, before, after any) (event.Change, error) {
	change := event.Change{Object: object}
	for _, one := range []struct {
		of   any
		into *[]byte
	}{{before, &change.Before}, {after, &change.After}} {
		if one.of == nil {
			continue
		}
		var err error
		if *one.into, err = Shown(one.of); err != nil {
			return event.Change{}, err
		}
	}
	return change, nil
}
