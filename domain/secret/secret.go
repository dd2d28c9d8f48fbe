// Package secret holds strings that must not leak: they print, log and marshal
// as "[redacted]". Revealing one is a call that can be searched for.
package secret

import "log/slog"

const redacted = "[redacted]"

// String is a secret: a password, a token, a key. It is hidden in formatted output.
type String struct{ value string }

// New wraps a plain text.
func New(plain string) String { return String{value: plain} }

// Reveal returns the plain text. Every call of it is a place to review.
func (s String) Reveal() string { return s.value }

// Empty reports whether there is no secret.
func (s String) Empty() bool { return s.value == "" }

// IsZero allows encoders to omit an absent secret.
func (s String) IsZero() bool { return s.Empty() }

func (String) String() string   { return redacted }
func (String) GoString() string { return redacted }

// LogValue keeps the secret out of structured logs.
func (String) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText writes the redaction, never the secret.
func (String) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText takes the plain text in.
func (s *String) UnmarshalText(text []byte) error {
	s.value = string(text)
	return nil
}

// SchemaFragment describes the secret in a JSON Schema: a string that is written, never read.
func (String) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "writeOnly": true}
}

// Shown is a secret on its one way out: the result field that hands it to its
// owner. It marshals in clear, but prints and logs redacted. A dry run and the
// stored answer of an idempotent call recognize it by this type.
type Shown string

func (Shown) String() string   { return redacted }
func (Shown) GoString() string { return redacted }

// LogValue keeps the secret out of structured logs.
func (Shown) LogValue() slog.Value { return slog.StringValue(redacted) }
