package user

import (
	"strings"
	"unicode"

	"gatehouse.internal/domain/fault"
)

// printable is a character class of everything but controls.
const printable = `[^\x00-\x1f\x7f-\x9f]`

// DisplayName is a name to show: one line, without blanks around it. It is a text in
// mails and pages, never markup.
type DisplayName string

// Refusals of names.
var (
	ErrNameEmpty      = fault.New(fault.Validation, "must contain visible characters")
	ErrNameMisleading = fault.New(fault.Validation, "must not contain line breaks or text direction controls")
)

// Misleading reports whether a character breaks the line or changes the direction of the
// text around it.
func Misleading(r rune) bool { return unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) }

func shows(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// Shown returns a name that other people are shown, without the blanks around it. It fails with
// ErrNameEmpty or ErrNameMisleading.
func Shown(name string) (string, error) {
	trimmed := strings.TrimSpace(name)
	switch {
	case strings.ContainsFunc(trimmed, Misleading):
		return "", ErrNameMisleading
	case !strings.ContainsFunc(trimmed, shows):
		return "", ErrNameEmpty
	}
	return trimmed, nil
}

// ReadShown reads a name of any type as Shown does.
func ReadShown[T ~string](into *T, text []byte) error {
	shown, err := Shown(string(text))
	*into = T(shown)
	return err
}

// LabelSchema returns the JSON Schema of a display name, as parsed by ReadShown.
func LabelSchema(example string) map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^" + printable + "*$", "examples": []any{example}}
}

// UnmarshalText reads a name as Shown does.
func (n *DisplayName) UnmarshalText(text []byte) error { return ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (DisplayName) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^" + printable + "*$",
		"examples": []any{"Ada Lovelace"},
	}
}

// Avatar is the address of a picture, or empty.
type Avatar string

// SchemaFragment describes the address in a JSON Schema: http or https, with a
// host, without user info.
func (Avatar) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 2048,
		"pattern":  `^(https?://[A-Za-z0-9.:\[\]-]+([/?#][!-~]*)?)?$`,
		"examples": []any{"https://example.com/ada.png"},
	}
}

// Locale is a language tag (BCP 47), or empty.
type Locale string

// SchemaFragment describes the tag in a JSON Schema.
func (Locale) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 35, "pattern": `^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$`,
		"examples": []any{"de-CH"},
	}
}

// Timezone is the name of a time zone (IANA), or empty.
type Timezone string

// SchemaFragment describes the name in a JSON Schema. The zones of the day are
// not looked up: a new one must not wait for a release.
func (Timezone) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 64, "pattern": `^([A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2})?$`,
		"examples": []any{"Europe/Zurich"},
	}
}

// ExternalID is an account's identifier in another system, or empty.
type ExternalID string

// SchemaFragment describes the identifier in a JSON Schema.
func (ExternalID) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 255, "pattern": "^" + printable + "*$",
		"examples": []any{"auth0|507f1f77bcf86cd799439011"},
	}
}
