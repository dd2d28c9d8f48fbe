package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/schema"
)

// shape is what a form needs to know of a JSON Schema.
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

// Widgets are the ways in which a form asks for a value.
const (
	asText   = "text"
	asSecret = "secret"
	asChoice = "choice"
	asLines  = "lines"
	asJSON   = "json"
)

// blank is one field of the form of a command.
type blank struct {
	Name, Widget string
	// Kind says what is expected, in words of the schema.
	Kind, Description, Example string
	Choices                    []string
	Required                   bool

	shape *shape
}

// blanks returns the fields for the parameters of a command, the required ones first.
func blanks(schema []byte) ([]blank, error) {
	var whole shape
	if err := json.Unmarshal(schema, &whole); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	var needed, others []blank
	for _, one := range whole.Properties {
		b := toBlank(one.Name, one.Shape)
		if b.Required = slices.Contains(whole.Required, one.Name); b.Required {
			needed = append(needed, b)
		} else {
			others = append(others, b)
		}
	}
	return append(needed, others...), nil
}

func toBlank(name string, s *shape) blank {
	b := blank{Name: name, Description: s.Description, Kind: strings.Join(s.Type, " or "), Widget: asText, shape: s}
	switch {
	case len(s.Enum) > 0:
		b.Widget, b.Choices = asChoice, s.Enum
	case s.is("boolean"):
		b.Widget, b.Choices = asChoice, []string{"true", "false"}
	case s.is("array") && s.Items != nil && s.Items.is("string"):
		b.Widget, b.Kind = asLines, "one a line"
	case s.is("array") || s.is("object"):
		b.Widget, b.Kind = asJSON, "JSON"
	case s.WriteOnly:
		b.Widget = asSecret
	}
	if s.Format != "" && b.Widget == asText {
		b.Kind = s.Format
	}
	if len(s.Examples) > 0 {
		b.Example = plainly(s.Examples[0])
	}
	return b
}

// is reports whether a value may be of a type.
func (s *shape) is(kind string) bool { return slices.Contains(s.Type, kind) }

// plainly writes a value as people type it.
func plainly(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// errNotJSON is what is wrong with a field that takes JSON.
const errNotJSON = "This is no valid JSON."

// value returns what was typed as JSON, nil where nothing was. What is of another type than
// the schema wants is sent all the same: the command says best what it takes.
func (b blank) value(typed string) (jsontext.Value, string) {
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
		written, _ := json.Marshal(lines)
		return written, ""
	case b.Widget == asJSON && !trimmed.IsValid():
		return nil, errNotJSON
	case b.Widget == asJSON, !b.shape.is("string") && trimmed.IsValid():
		return trimmed, ""
	default:
		written, _ := jsontext.AppendQuote(nil, typed)
		return written, ""
	}
}

// drawn is a field with what was typed into it, and what is wrong with that.
type drawn struct {
	blank

	Value, Error string
}

func draw(b blank, f form) drawn {
	d := drawn{blank: b, Error: f.Errors[b.Name]}
	if b.Widget != asSecret {
		d.Value = f.values.Get(b.Field())
	}
	return d
}
