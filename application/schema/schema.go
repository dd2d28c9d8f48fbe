package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"gatehouse.internal/domain/fault"
)

// Schema is the JSON Schema of a type. It never changes after Of and may be
// used by many at once.
type Schema struct {
	document []byte
	example  []byte
	root     *node
}

// known are the schemas that were derived, by their types. A type's schema never
// changes, several commands share one, and tests build the service many times.
var known sync.Map //nolint:gochecknoglobals // nothing in it depends on who asks

// Of derives the schema of a type. Its errors are mistakes in the type: they
// name it and the field.
func Of(t reflect.Type) (*Schema, error) {
	if earlier, ok := known.Load(t); ok {
		return earlier.(*Schema), nil //nolint:forcetypeassert // nothing else is stored
	}
	derived, err := derive(t)
	if err != nil {
		return nil, fmt.Errorf("derive the schema of %s: %w", t, err)
	}
	known.Store(t, derived)
	return derived, nil
}

func derive(t reflect.Type) (*Schema, error) {
	if t == nil {
		return nil, errors.New("no type given")
	}
	document, err := describe(t)
	if err != nil {
		return nil, err
	}
	root, tree, err := compile(document)
	if err != nil {
		return nil, err
	}
	sample, err := encodeExample(tree)
	if err != nil {
		return nil, err
	}
	made := &Schema{document: document, example: sample, root: root}
	if wrong := made.Validate(sample); wrong != nil {
		return nil, fmt.Errorf("no example found for %q, which %s: add example=… to its jsonschema tag",
			wrong[0].Path, wrong[0].Message)
	}
	return made, nil
}

// JSON gives the schema as a compact document, the same bytes on every run.
func (s *Schema) JSON() []byte { return bytes.Clone(s.document) }

// Example gives a document that conforms to the schema and shows every property.
func (s *Schema) Example() []byte { return bytes.Clone(s.example) }

// Empty tells whether the schema takes no property at all.
func (s *Schema) Empty() bool {
	return s.root.form == object && s.root.closed && len(s.root.properties) == 0
}

// Validate lists what is wrong with raw, which must be strict JSON already: at
// most fifty complaints, ordered by path, none of which quotes a value. It gives
// nil when raw conforms.
func (s *Schema) Validate(raw []byte) []fault.Field {
	if len(raw) == 2 && raw[0] == '{' && s.root.form == object && len(s.root.required) == 0 {
		return nil
	}
	return judge(s.root, raw)
}
