package patch

import (
	"encoding/json"
	"reflect"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
)

// Optional is a parameter that distinguishes absent, null and a value: absent leaves
// the value unchanged, null resets it to the default. Its field needs nullable:"true".
type Optional[T any] struct {
	Given bool
	// Value is nil for null.
	Value *T
}

// UnmarshalJSON reads a value or null.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	o.Given, o.Value = true, nil
	if null(raw) {
		return nil
	}
	o.Value = new(T)
	return strictjson.Decode(raw, o.Value)
}

// SchemaFragment describes the value.
func (Optional[T]) SchemaFragment() map[string]any {
	type alone struct {
		Value T `json:"value" doc:"The value."`
	}
	text, err := schema.Of(reflect.TypeFor[alone]()).Document()
	if err != nil {
		return map[string]any{"type": "object"}
	}
	var document struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return map[string]any{"type": "object"}
	}
	fragment := document.Properties["value"]
	delete(fragment, "description")
	return fragment
}
