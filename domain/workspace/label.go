package workspace

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse.internal/domain/fault"
)

// maxLabel is how many characters a label has at most.
const maxLabel = 64

var errLabel = fault.New(fault.Validation, "must have 1 to 64 visible characters, not counting leading and trailing spaces")

// Label names something within a workspace, such as a role or a group. Two labels that
// differ in case alone are the same.
type Label string

// UnmarshalText reads a label without the spaces around it. It fails with a validation
// fault, also for characters that cannot be seen: they would make a name look like
// another one.
func (l *Label) UnmarshalText(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	length := utf8.RuneCountInString(trimmed)
	if !utf8.ValidString(trimmed) || length == 0 || length > maxLabel || strings.ContainsFunc(trimmed, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errLabel
	}
	*l = Label(trimmed)
	return nil
}

// Folded returns a key that is equal for equal labels, ignoring case.
func (l Label) Folded() string { return strings.ToLower(string(l)) }

// SchemaFragment describes the label in a JSON Schema.
func (Label) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": maxLabel, "examples": []any{"Editor"}}
}
