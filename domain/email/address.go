// Package email holds the email address as a value (contract section 4).
package email

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"gatehouse.internal/domain/fault"
)

// maxBytes is the longest address that SMTP can carry (RFC 5321 section 4.5.3.1.3).
const maxBytes = 254

// maxLocalBytes is the longest local part (RFC 5321 section 4.5.3.1.1).
const maxLocalBytes = 64

// ErrMalformed is returned for a text that is not a single plain address.
var ErrMalformed = fault.New(fault.Validation, "is not a valid email address")

// Address is a parsed address: trimmed, NFC, its domain lower-cased and folded
// to ASCII by IDNA, so that look-alike spellings of one mailbox are one value.
// The local part keeps its case for sending; Folded is what addresses are compared by.
type Address struct{ text string }

// Parse reads one address; lists, display names, comments, quotes, control
// characters and several at signs fail with ErrMalformed.
func Parse(text string) (Address, error) {
	text = norm.NFC.String(strings.TrimSpace(text))
	local, domain, found := strings.Cut(text, "@")
	if !found || !validLocal(local) {
		return Address{}, ErrMalformed
	}
	domain, err := idna.Lookup.ToASCII(domain)
	if err != nil || !validDomain(domain) {
		return Address{}, ErrMalformed
	}
	address := Address{text: local + "@" + strings.ToLower(domain)}
	if len(address.text) > maxBytes {
		return Address{}, ErrMalformed
	}
	return address, nil
}

// validLocal admits dot-atoms (RFC 5321) with letters of any script (RFC 6531).
func validLocal(local string) bool {
	if local == "" || len(local) > maxLocalBytes || !utf8.ValidString(local) {
		return false
	}
	if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") {
		return false
	}
	for _, r := range local {
		if !localRune(r) {
			return false
		}
	}
	return true
}

func localRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !strings.ContainsRune(`()<>[]:;@\,"`, r)
	}
	// Look-alikes of the at sign, spaces, controls and invisible format
	// characters are none of these.
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !invisible(r)
}

// invisible reports whether a letter or mark shows as nothing (Unicode 4.12,
// Default_Ignorable_Code_Point): with them two addresses would look the same.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// validDomain reports whether a name has at least two labels, each of 1 to 63 letters,
// digits and inner hyphens (RFC 1123 section 2.1), in at most 253 bytes.
func validDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	return len(domain) <= 253 && len(labels) > 1 && !slices.ContainsFunc(labels, func(label string) bool {
		const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
		return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, allowed) != ""
	})
}

func (a Address) String() string { return a.text }

// Folded returns the form by which addresses are compared, looked up and counted. Letters
// of other scripts never become those of ASCII: an i with a dot above in upper case is
// another mailbox than an i.
func (a Address) Folded() string {
	return strings.Map(func(r rune) rune {
		if lower := unicode.ToLower(r); r < utf8.RuneSelf || lower >= utf8.RuneSelf {
			return lower
		}
		return r
	}, a.text)
}

// IsZero reports whether the address is absent.
func (a Address) IsZero() bool { return a.text == "" }

// MarshalText writes the address.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.text), nil }

// UnmarshalText reads an address; it fails with ErrMalformed.
func (a *Address) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Restore returns the address that was stored, without parsing it again.
func Restore(text string) Address { return Address{text: text} }

// SchemaFragment describes the address in a JSON Schema.
func (Address) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "format": "email", "maxLength": maxBytes, "examples": []any{"ada@example.com"}}
}
