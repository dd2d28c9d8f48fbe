package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"gatehouse.internal/domain/fault"
)

// Schema is the JSON Schema of a type. It never changes and may be used by many at
// once.
type Schema struct {
	document []byte
	// judging gives what documents are judged by; it is made when it is first needed.
	judging func() (judging, error)
}

// judging is the tree that judges documents, and a document that it lets pass.
type judging struct {
	root    *node
	example []byte
}

// known are the schemas that were derived, by their types. A type's schema never
// changes, several commands share one, and tests build the service many times.
var known remembered[reflect.Type, *Schema] //nolint:gochecknoglobals // nothing in it depends on who asks

// Of derives the schema of a type, to judge documents by. Its errors are mistakes in
// the type: they name it and the field.
func Of(t reflect.Type) (*Schema, error) {
	s, err := Published(t)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("derive the schema of %s: %w", t, err)
	}
	return s, nil
}

// Published derives the schema of a type to be read, not to judge by: that takes most
// of the time. Its errors are mistakes in the type that show without judging.
func Published(t reflect.Type) (*Schema, error) {
	if t == nil {
		return nil, errors.New("derive a schema: no type given")
	}
	return known.of(t, derive)
}

func derive(t reflect.Type) (*Schema, error) {
	document, err := describe(t)
	if err != nil {
		return nil, fmt.Errorf("derive the schema of %s: %w", t, err)
	}
	return &Schema{document: document, judging: sync.OnceValues(func() (judging, error) { return prepare(document, t) })}, nil
}

// prepare makes what documents are judged by.
func prepare(document []byte, t reflect.Type) (judging, error) {
	root, tree, err := compile(document)
	if err != nil {
		return judging{}, err
	}
	made := judging{root: root}
	if made.example, err = encodeExample(tree, t); err != nil {
		return judging{}, err
	}
	if wrong := judge(root, made.example); wrong != nil {
		return judging{}, fmt.Errorf("no example found for %q, which %s: add example=… to its jsonschema tag",
			wrong[0].Path, wrong[0].Message)
	}
	return made, nil
}

// Check tells what is wrong with a schema that shows only when something is judged
// by it.
func (s *Schema) Check() error {
	_, err := s.judging()
	return err
}

// made is what documents are judged by. Whoever judges had the schema from Of, which
// has made it.
func (s *Schema) made() judging {
	made, err := s.judging()
	if err != nil {
		panic(fmt.Errorf("judge by a schema that is only published: %w", err))
	}
	return made
}

// JSON gives the schema as a compact document, the same bytes on every run.
func (s *Schema) JSON() []byte { return bytes.Clone(s.document) }

// Example gives a document that conforms to the schema and shows every property
// that can be given beside the others.
func (s *Schema) Example() []byte { return bytes.Clone(s.made().example) }

// Empty tells whether the schema takes no property at all.
func (s *Schema) Empty() bool {
	root := s.made().root
	return root.form == object && root.closed && len(root.properties) == 0
}

// Validate lists what is wrong with raw, which must be strict JSON already: at
// most fifty complaints, ordered by path, none of which quotes a value. It gives
// nil when raw conforms.
func (s *Schema) Validate(raw []byte) []fault.Field {
	root := s.made().root
	if len(raw) == 2 && raw[0] == '{' && root.form == object && len(root.required) == 0 {
		return nil
	}
	return judge(root, raw)
}
