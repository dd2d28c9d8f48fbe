// Package generate writes the client of the commands from their catalog.
package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/schema"
)

// shape is the part of a JSON Schema that a Go type depends on.
type shape struct {
	Type        schema.Types             `json:"type"`
	Description string                   `json:"description"`
	Properties  schema.Properties[shape] `json:"properties"`
	Required    []string                 `json:"required"`
	Items       *shape                   `json:"items"`
	Others      others                   `json:"additionalProperties"`
	Enum        []jsontext.Value         `json:"enum"`
	Format      string                   `json:"format"`
}

// others is the keyword additionalProperties; its schema is nil if it is true or false.
type others struct{ schema *shape }

// UnmarshalJSONFrom takes a schema, true or false.
func (o *others) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() != '{' {
		return from.SkipValue()
	}
	o.schema = new(shape)
	return json.UnmarshalDecode(from, o.schema)
}

// readShape reads a schema of the catalog.
func readShape(text []byte) (*shape, error) {
	read := new(shape)
	if err := json.Unmarshal(text, read); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	return read, nil
}

// kinds are the types that a value may have, without null.
func (s *shape) kinds() []string {
	return slices.DeleteFunc(slices.Clone([]string(s.Type)), func(kind string) bool { return kind == "null" })
}

// nullable reports whether the value may be null.
func (s *shape) nullable() bool { return slices.Contains(s.Type, "null") }

// values are those of an enumeration of texts, in the order of the schema.
func (s *shape) values() []string {
	var values []string
	for _, one := range s.Enum {
		var text string
		if one.Kind() == '"' && json.Unmarshal(one, &text) == nil && text != "" {
			values = append(values, text)
		}
	}
	return values
}

// strict reports whether the object has no optional members and none that may be null, so that
// its type is the same in parameters and results.
func (s *shape) strict() bool {
	for _, member := range s.Properties {
		if !slices.Contains(s.Required, member.Name) || member.Shape.nullable() || !member.Shape.strict() {
			return false
		}
	}
	return (s.Items == nil || s.Items.strict()) && (s.Others.schema == nil || s.Others.schema.strict())
}

// signature is the same for shapes with the same Go type: it leaves out texts and what is only
// checked.
func (s *shape) signature() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v %q %s ", s.Type, s.values(), s.Format)
	for _, member := range s.Properties {
		fmt.Fprintf(&text, "%s %t {%s}", member.Name, slices.Contains(s.Required, member.Name), member.Shape.signature())
	}
	for _, below := range []*shape{s.Items, s.Others.schema} {
		if below != nil {
			fmt.Fprintf(&text, "[%s]", below.signature())
		}
	}
	return text.String()
}
