package dpop

import "gatehouse.internal/domain/user"

// Name is the display name of a key, or empty.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("build server") }
