package relations

import (
	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
)

// Model is a model in parameters: an object, or a text in the DSL.
type Model struct{ text []byte }

// UnmarshalJSON keeps the model as it is.
func (m *Model) UnmarshalJSON(text []byte) error {
	m.text = append([]byte(nil), text...)
	return nil
}

// SchemaFragment describes the model in a JSON Schema.
func (Model) SchemaFragment() map[string]any {
	return map[string]any{
		"type": []any{"object", "string"}, "maxLength": relation.MostModelBytes,
		"examples": []any{"model\n  schema 1.1\n\ntype user\n\ntype document\n  relations\n    define viewer: [user]\n"},
	}
}

// parse reads the model in whichever form it has.
func (m Model) parse() (*relation.Model, error) {
	var dsl string
	if len(m.text) == 0 || m.text[0] != '"' {
		return relation.Parse(m.text)
	}
	if err := json.Unmarshal(m.text, &dsl); err != nil {
		return nil, fault.Unfit("/model", "must be a valid JSON string")
	}
	return relation.ParseDSL(dsl)
}
