package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/schema"
)

// shape is the part of a JSON Schema that the command line uses.
type shape struct {
	Type        schema.Types             `json:"type"`
	Description string                   `json:"description"`
	Properties  schema.Properties[shape] `json:"properties"`
	Required    []string                 `json:"required"`
	Items       *shape                   `json:"items"`
	AnyOf       []*shape                 `json:"anyOf"`
	OneOf       []*shape                 `json:"oneOf"`
	Enum        []json.RawMessage        `json:"enum"`
	Default     json.RawMessage          `json:"default"`
	Format      string                   `json:"format"`
	Minimum     json.RawMessage          `json:"minimum"`
	Maximum     json.RawMessage          `json:"maximum"`
	WriteOnly   bool                     `json:"writeOnly"`
}

// readShape parses a schema of the catalog; an empty one is an object without
// members.
func readShape(schema []byte) (*shape, error) {
	read := new(shape)
	if len(schema) == 0 {
		return read, nil
	}
	if err := jsonv2.Unmarshal(schema, read); err != nil {
		return nil, fmt.Errorf("read a schema of the catalog: %w", err)
	}
	return read, nil
}

// property returns the property with a name.
func (s *shape) property(name string) (*shape, bool) {
	for _, member := range s.Properties {
		if member.Name == name {
			return member.Shape, true
		}
	}
	return nil, false
}

// names returns the names of the properties.
func (s *shape) names() []string {
	names := make([]string, 0, len(s.Properties))
	for _, member := range s.Properties {
		names = append(names, member.Name)
	}
	return names
}

// kinds returns the types that a value may have, in schema order.
func (s *shape) kinds() []string {
	kinds := slices.Clone([]string(s.Type))
	for _, choice := range slices.Concat(s.AnyOf, s.OneOf) {
		for _, kind := range choice.kinds() {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// title describes the type, such as "array of string or null".
func (s *shape) title() string {
	kinds := s.kinds()
	if len(kinds) == 0 {
		return "any"
	}
	for i, kind := range kinds {
		if kind == "array" && s.Items != nil {
			kinds[i] = "array of " + s.Items.title()
		}
	}
	return strings.Join(kinds, " or ")
}

// values returns the values that a parameter may have, if they are enumerable.
func (s *shape) values() []string {
	var values []string
	for _, value := range s.Enum {
		values = append(values, strings.Trim(string(value), `"`))
	}
	if len(values) == 0 && slices.Contains(s.kinds(), "boolean") {
		values = []string{"true", "false"}
	}
	return values
}

// limits describes constraints beyond the type: constants, default, range, format.
func (s *shape) limits() string {
	var said []string
	if len(s.Enum) > 0 {
		said = append(said, "one of "+strings.Join(s.values(), ", "))
	}
	if s.Format != "" {
		said = append(said, s.Format)
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		said = append(said, fmt.Sprintf("%s to %s", s.Minimum, s.Maximum))
	case s.Minimum != nil:
		said = append(said, fmt.Sprintf("at least %s", s.Minimum))
	case s.Maximum != nil:
		said = append(said, fmt.Sprintf("at most %s", s.Maximum))
	}
	if s.Default != nil {
		said = append(said, "default "+string(s.Default))
	}
	return strings.Join(said, "; ")
}
