package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"gatehouse.internal/domain/fault"
)

// Schema is the JSON Schema of a type. Each part of it is derived when it is first needed, so
// that a program may declare many types and pays only for those that it uses. It is immutable
// and safe for concurrent use.
//
// Mistakes in the type are the errors of Check. Methods without an error panic on them:
// a program checks its schemas in a test.
type Schema struct {
	of       reflect.Type
	document func() ([]byte, error)
	// root returns the tree that validates documents; example is a document that conforms to it.
	root    func() (*node, error)
	example func() ([]byte, error)
}

// known remembers the schemas of types, because commands share them and tests build the
// service many times.
var known sync.Map //nolint:gochecknoglobals // by reflect.Type; nothing in it depends on who asks

// Of returns the schema of a type.
func Of(t reflect.Type) *Schema {
	if earlier, ok := known.Load(t); ok {
		return earlier.(*Schema) //nolint:forcetypeassert // nothing else is stored
	}
	made, _ := known.LoadOrStore(t, declare(t))
	return made.(*Schema) //nolint:forcetypeassert // nothing else is stored
}

func declare(t reflect.Type) *Schema {
	document := sync.OnceValues(func() ([]byte, error) { return describe(t) })
	return &Schema{
		of: t, document: document,
		root: sync.OnceValues(func() (*node, error) {
			text, err := document()
			if err != nil {
				return nil, err
			}
			return compile(text, t)
		}),
		example: sync.OnceValues(func() ([]byte, error) {
			text, err := document()
			if err != nil {
				return nil, err
			}
			return encodeExample(text, t)
		}),
	}
}

// Check derives the whole schema. Its errors are mistakes in the type, and name the type and
// the field.
func (s *Schema) Check() error {
	root, err := s.root()
	if err != nil {
		return s.mistake(err)
	}
	example, err := s.example()
	if err != nil {
		return s.mistake(err)
	}
	if wrong := judge(root, example); wrong != nil {
		return s.mistake(fmt.Errorf("no example found for %q, which %s: add example=… to its jsonschema tag",
			wrong[0].Path, wrong[0].Message))
	}
	return nil
}

func (s *Schema) mistake(err error) error {
	return fmt.Errorf("derive the schema of %s: %w", s.of, err)
}

// must panics on a mistake in the type.
func (s *Schema) must(err error) {
	if err != nil {
		panic(s.mistake(err))
	}
}

// JSON returns the schema as a compact document, the same bytes on every run.
func (s *Schema) JSON() []byte {
	document, err := s.Document()
	if err != nil {
		panic(err)
	}
	return document
}

// Document is like JSON, but returns mistakes in the type as an error. It does not find those
// that only compiling the schema would show.
func (s *Schema) Document() ([]byte, error) {
	document, err := s.document()
	if err != nil {
		return nil, s.mistake(err)
	}
	return bytes.Clone(document), nil
}

// Example returns a document that conforms to the schema and contains every property that can
// be combined with the others.
func (s *Schema) Example() []byte {
	example, err := s.example()
	s.must(err)
	return bytes.Clone(example)
}

// Empty reports whether the schema accepts no property at all.
func (s *Schema) Empty() bool {
	root, err := s.root()
	s.must(err)
	return root.form == object && root.closed && len(root.properties) == 0
}

// Validate returns what is wrong with raw, which must already be strict JSON: at most fifty
// errors, ordered by path, none of which quotes a value. It returns nil if raw conforms.
func (s *Schema) Validate(raw []byte) []fault.Field {
	root, err := s.root()
	s.must(err)
	if len(raw) == 2 && raw[0] == '{' && root.form == object && len(root.required) == 0 && root.least <= 0 {
		return nil
	}
	return judge(root, raw)
}
