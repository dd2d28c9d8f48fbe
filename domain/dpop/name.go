package dpop

// Name is what an owner calls a key, or empty.
type Name string

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 100, "pattern": `^[^\x00-\x1f\x7f-\x9f]*$`,
		"examples": []any{"build server"},
	}
}
