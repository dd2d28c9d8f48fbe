package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/schema"
)

// shape is the part of a JSON Schema that forms use.
type shape struct {
	Type        schema.Types             `json:"type"`
	Description string                   `json:"description"`
	Properties  schema.Properties[shape] `json:"properties"`
	Required    []string                 `json:"required"`
	Items       *shape                   `json:"items"`
	Enum        []string                 `json:"enum"`
	Examples    []jsontext.Value         `json:"examples"`
	Default     jsontext.Value           `json:"default"`
	Format      string                   `json:"format"`
	WriteOnly   bool                     `json:"writeOnly"`
}

// Widgets are the kinds of form controls.
const (
	asText   = "text"
	asSecret = "secret"
	asChoice = "choice"
	asLines  = "lines"
	asJSON   = "json"
)

// paramField is one field of the form of a command.
type paramField struct {
	Name, Widget string
	// Kind names the type of the value.
	Kind, Description, Example string
	Choices                    []string
	Required                   bool

	shape *shape
}

// paramFields returns the form fields for the parameters of a command, required ones first.
func paramFields(schema []byte) ([]paramField, error) {
	var whole shape
	if err := json.Unmarshal(schema, &whole); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	var needed, others []paramField
	for _, one := range whole.Properties {
		b := toParamField(one.Name, one.Shape)
		if b.Required = slices.Contains(whole.Required, one.Name); b.Required {
			needed = append(needed, b)
		} else {
			others = append(others, b)
		}
	}
	return append(needed, others...), nil
}

func toParamField(name string, s *shape) paramField {
	b := paramField{Name: name, Description: s.Description, Kind: strings.Join(s.Type, " or "), Widget: asText, shape: s}
	switch {
	case len(s.Enum) > 0:
		b.Widget, b.Choices = asChoice, s.Enum
	case s.is("boolean"):
		b.Widget, b.Choices = asChoice, []string{"true", "false"}
	case s.is("array") && s.Items != nil && s.Items.is("string"):
		b.Widget, b.Kind = asLines, "one per line"
	case s.is("array") || s.is("object"):
		b.Widget, b.Kind = asJSON, "JSON"
	case s.WriteOnly:
		b.Widget = asSecret
	}
	if s.Format != "" && b.Widget == asText {
		b.Kind = s.Format
	}
	if len(s.Examples) > 0 {
		b.Example = inputText(s.Examples[0])
	}
	return b
}

// is reports whether the schema allows a type.
func (s *shape) is(kind string) bool { return slices.Contains(s.Type, kind) }

// inputText formats a JSON value as form input.
func inputText(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// errNotJSON is the error of a field that takes JSON.
const errNotJSON = "This is not valid JSON."

// value returns the input as JSON, or nil for empty input. Input that does not match
// the type is sent as text, so that the command reports the error.
func (b paramField) value(typed string) (jsontext.Value, string) {
	trimmed := jsontext.Value(strings.TrimSpace(typed))
	switch {
	case len(trimmed) == 0:
		return nil, ""
	case string(trimmed) == "null" && b.shape.is("null"):
		return trimmed, ""
	case b.Widget == asLines:
		lines := []string{}
		for line := range strings.Lines(typed) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		raw, _ := json.Marshal(lines)
		return raw, ""
	case b.Widget == asJSON && !trimmed.IsValid():
		return nil, errNotJSON
	case b.Widget == asJSON, !b.shape.is("string") && trimmed.IsValid():
		return trimmed, ""
	default:
		raw, _ := jsontext.AppendQuote(nil, typed)
		return raw, ""
	}
}

// filledField is a field with its input and error.
type filledField struct {
	paramField

	Value, Error string
}

func draw(b paramField, f form) filledField {
	d := filledField{paramField: b, Error: f.Errors[b.Name]}
	if b.Widget != asSecret {
		d.Value = f.values.Get(b.Field())
	}
	return d
}
