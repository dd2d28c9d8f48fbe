// Package schema reads what readers of the catalog share of JSON Schema.
package schema

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Types is the keyword type of a JSON Schema of the catalog: one name, or a list.
type Types []string

// UnmarshalJSONFrom takes both forms.
func (t *Types) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() == '"' {
		*t = Types{""}
		return json.UnmarshalDecode(from, &(*t)[0])
	}
	return json.UnmarshalDecode(from, (*[]string)(t))
}

// Properties is the keyword properties of a JSON Schema of the catalog, in the order
// of the schema, which is that of the declaration. S is what a reader understands of a
// schema.
type Properties[S any] []Property[S]

// Property is one member of an object.
type Property[S any] struct {
	Name  string
	Shape *S
}

// UnmarshalJSONFrom reads an object member by member.
func (p *Properties[S]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if _, err := from.ReadToken(); err != nil {
		return err
	}
	for from.PeekKind() != '}' {
		name, err := from.ReadToken()
		if err != nil {
			return err
		}
		member := Property[S]{Name: name.String(), Shape: new(S)}
		if err := json.UnmarshalDecode(from, member.Shape); err != nil {
			return err
		}
		*p = append(*p, member)
	}
	_, err := from.ReadToken()
	return err
}
