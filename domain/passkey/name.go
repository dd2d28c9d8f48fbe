package passkey

// Name is what its owner calls a passkey.
type Name string

// Unnamed is what a passkey is called whose owner gave it no name.
const Unnamed Name = "Passkey"

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 100, "pattern": `^[^\x00-\x1f\x7f-\x9f]*$`,
		"examples": []any{"My phone"},
	}
}
