package email

import (
	"strings"

	"golang.org/x/net/idna"

	"gatehouse.internal/domain/fault"
)

// ErrDomain is returned for a text that is not a domain of addresses.
var ErrDomain = fault.New(fault.Validation, "is not a valid email domain, such as example.com")

// Domain is the domain of an address, lower-cased and converted to ASCII by IDNA, so
// that look-alike spellings of one domain are one value.
type Domain string

// ParseDomain reads a domain; it fails with ErrDomain.
func ParseDomain(text string) (Domain, error) {
	folded, err := idna.Lookup.ToASCII(strings.TrimSpace(text))
	if err != nil || !validDomain(folded) {
		return "", ErrDomain
	}
	return Domain(strings.ToLower(folded)), nil
}

// UnmarshalText reads a domain; it fails with ErrDomain.
func (d *Domain) UnmarshalText(text []byte) error {
	parsed, err := ParseDomain(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// SchemaFragment describes the domain in a JSON Schema.
func (Domain) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": 253, "examples": []any{"example.com"}}
}

// Domain returns that of the address; empty for the absent address.
func (a Address) Domain() Domain {
	_, domain, _ := strings.Cut(a.text, "@")
	return Domain(strings.ToLower(domain))
}
