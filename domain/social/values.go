package social

import "gatehouse.internal/domain/secret"

// ClientID is the identifier that a provider gave this service.
type ClientID string

// SchemaFragment describes the identifier in a JSON Schema.
func (ClientID) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]*$",
		"examples": []any{"407408718192.apps.example.com"},
	}
}

// Scope is a scope that a provider is asked for (RFC 6749 section 3.3).
type Scope string

// SchemaFragment describes the scope in a JSON Schema.
func (Scope) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 255, "pattern": `^[!#-\[\]-~]*$`,
		"examples": []any{"email"},
	}
}

// Scopes are the scopes requested of a provider.
type Scopes []Scope

// SchemaFragment describes the list in a JSON Schema.
func (Scopes) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "array", "minItems": 1, "maxItems": 20, "uniqueItems": true, "items": Scope("").SchemaFragment(),
		"examples": []any{[]any{"openid", "email"}},
	}
}

// Secret is the secret that a provider gave this service.
type Secret struct{ secret.String }

// SchemaFragment describes the secret in a JSON Schema.
func (Secret) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "writeOnly": true, "minLength": 1, "maxLength": 1024, "examples": []any{"GOCSPX-4fQz"}}
}
