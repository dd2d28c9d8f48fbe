package passkey

import "gatehouse.internal/domain/user"

// Name is what its owner calls a passkey.
type Name string

// Unnamed is what a passkey is called whose owner gave it no name.
const Unnamed Name = "Passkey"

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("My phone") }
