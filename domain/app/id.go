package app

import (
	"regexp"

	"gatehouse.internal/domain/fault"
)

// ID identifies an app: alone among all resources a plain UUID (contract section 1).
type ID string

var idForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// ErrID is returned for a text that is not an identifier of an app.
var ErrID = fault.New(fault.Validation, "is not a valid ID of this type")

// ParseID reads an identifier; it fails with ErrID.
func ParseID(text string) (ID, error) {
	if !idForm.MatchString(text) {
		return "", ErrID
	}
	return ID(text), nil
}

// UnmarshalText reads an identifier; it fails with ErrID.
func (i *ID) UnmarshalText(text []byte) error {
	parsed, err := ParseID(string(text))
	if err != nil {
		return err
	}
	*i = parsed
	return nil
}

// MarshalText writes the identifier as it is.
func (i ID) MarshalText() ([]byte, error) { return []byte(i), nil }

func (i ID) String() string { return string(i) }

// SchemaFragment describes the identifier in a JSON Schema.
func (ID) SchemaFragment() map[string]any {
	return map[string]any{
		"type":     "string",
		"pattern":  idForm.String(),
		"examples": []any{"0193c1a2-7b1e-7c3d-9a5f-0123456789ab"},
	}
}
