package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/schema"
)

// Shape is the part of a JSON Schema that forms use.
type Shape struct {
	Type        schema.Types             `json:"type"`
	Description string                   `json:"description"`
	Properties  schema.Properties[Shape] `json:"properties"`
	Required    []string                 `json:"required"`
	Items       *Shape                   `json:"items"`
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
	AsChoice = "choice"
	AsLines  = "lines"
	asJSON   = "json"
)

// ParamField is one field of the form of a command.
type ParamField struct {
	Name, Widget string
	// Kind names the type of the value.
	Kind, Description, Example string
	Choices                    []string
	Required                   bool

	Shape *Shape
}

// ParamFields returns the form fields for the parameters of a command, required ones first.
func ParamFields(schema []byte) ([]ParamField, error) {
	var whole Shape
	if err := json.Unmarshal(schema, &whole); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	var needed, others []ParamField
	for _, one := range whole.Properties {
		b := ToParamField(one.Name, one.Shape)
		if b.Required = slices.Contains(whole.Required, one.Name); b.Required {
			needed = append(needed, b)
		} else {
			others = append(others, b)
		}
	}
	return append(needed, others...), nil
}

// ToParamField returns the form field for a value with a schema.
func ToParamField(name string, s *Shape) ParamField {
	b := ParamField{Name: name, Description: s.Description, Kind: strings.Join(s.Type, " or "), Widget: asText, Shape: s}
	switch {
	case len(s.Enum) > 0:
		b.Widget, b.Choices = AsChoice, s.Enum
	case s.Is("boolean"):
		b.Widget, b.Choices = AsChoice, []string{"true", "false"}
	case s.Is("array") && s.Items != nil && s.Items.Is("string"):
		b.Widget, b.Kind = AsLines, "one per line"
	case s.Is("array") || s.Is("object"):
		b.Widget, b.Kind = asJSON, "JSON"
	case s.WriteOnly:
		b.Widget = asSecret
	}
	if s.Format != "" && b.Widget == asText {
		b.Kind = s.Format
	}
	if len(s.Examples) > 0 {
		b.Example = InputText(s.Examples[0])
	}
	return b
}

// Is reports whether the schema allows a type.
func (s *Shape) Is(kind string) bool { return slices.Contains(s.Type, kind) }

// InputText formats a JSON value as form input.
func InputText(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// errNotJSON is the error of a field that takes JSON.
const errNotJSON = "This is not valid JSON."

// Value returns the input as JSON, or nil for empty input. Input that does not match
// the type is sent as text, so that the command reports the error.
func (b ParamField) Value(typed string) (jsontext.Value, string) {
	trimmed := jsontext.Value(strings.TrimSpace(typed))
	switch {
	case len(trimmed) == 0:
		return nil, ""
	case string(trimmed) == "null" && b.Shape.Is("null"):
		return trimmed, ""
	case b.Widget == AsLines:
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
	case b.Widget == asJSON, !b.Shape.Is("string") && trimmed.IsValid():
		return trimmed, ""
	default:
		raw, _ := jsontext.AppendQuote(nil, typed)
		return raw, ""
	}
}

// filledField is a field with its input and error.
type filledField struct {
	ParamField

	Value, Error string
}

func draw(b ParamField, f Form) filledField {
	d := filledField{ParamField: b, Error: f.Errors[b.Name]}
	if b.Widget != asSecret {
		d.Value = f.Values.Get(b.Field())
	}
	return d
}

// Field returns the form name of a parameter, distinct from the page's own fields.
func (b ParamField) Field() string { return "param." + b.Name }
