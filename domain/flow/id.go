package flow

import (
	"regexp"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

type idKind struct{}

func (idKind) Prefix() string { return "flw" }

// ID identifies a flow.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Name is the name of a flow in its scope: a slug.
type Name string

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxName = 64

var errName = fault.New(fault.Validation, "must have at most 64 lower-case letters and digits, with single hyphens between them")

// UnmarshalText reads a name.
func (n *Name) UnmarshalText(text []byte) error {
	if len(text) > maxName || !nameForm.Match(text) {
		return errName
	}
	*n = Name(text)
	return nil
}

// MarshalText writes the name as it is.
func (n Name) MarshalText() ([]byte, error) { return []byte(n), nil }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "maxLength": maxName, "pattern": nameForm.String(), "examples": []any{"office-hours"}}
}
