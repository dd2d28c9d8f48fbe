package passkey

import "gatehouse.internal/domain/user"

// Name is the display name of a passkey.
type Name string

// Unnamed is the default name of a passkey.
const Unnamed Name = "Passkey"

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("My phone") }
