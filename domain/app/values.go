package app

import (
	"regexp"

	"gatehouse.internal/domain/user"
)

// printable is a character class of everything but controls.
const printable = `[^\x00-\x1f\x7f-\x9f]`

// Bounds of a slug.
const (
	minSlug = 2
	maxSlug = 63
)

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`)

// LoginClient is the client_id in tokens of logins to this service; no app can have it.
const LoginClient = "gatehouse"

// Slug is the client_id of an app.
type Slug string

// ValidSlug reports whether a text has the form of a slug.
func ValidSlug(text string) bool {
	return len(text) >= minSlug && len(text) <= maxSlug && slugForm.MatchString(text)
}

// SchemaFragment describes the slug in a JSON Schema.
func (Slug) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": minSlug, "maxLength": maxSlug, "pattern": slugForm.String(),
		"examples": []any{"billing-worker"},
	}
}

// ClientID names a client: the slug of an app, or the address that describes it.
type ClientID string

// SchemaFragment describes the client_id in a JSON Schema.
func (ClientID) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": minSlug, "maxLength": maxAddressLength, "pattern": "^[!-~]*$", "examples": []any{"wiki"},
	}
}

// Name is a name that people of all workspaces are shown, by the rules of theirs.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^" + printable + "*$",
		"examples": []any{"Billing worker"},
	}
}

// Description is a text to show, or empty.
type Description string

// SchemaFragment describes the text in a JSON Schema.
func (Description) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 1000, "pattern": "^" + printable + "*$",
		"examples": []any{"Sends the invoices at night."},
	}
}

// RedirectURL is where an answer may be sent; which ones may be depends on the app.
type RedirectURL string

// SchemaFragment describes the address in a JSON Schema.
func (RedirectURL) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "format": "uri", "minLength": 1, "maxLength": maxAddressLength,
		"examples": []any{"https://app.example.com/callback"},
	}
}

// PageURL is an https address, or empty.
type PageURL string

// SchemaFragment describes the address in a JSON Schema: a host, without user
// information.
func (PageURL) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": maxAddressLength,
		"pattern":  `^(https://[A-Za-z0-9.:\[\]-]+([/?#][!-~]*)?)?$`,
		"examples": []any{"https://example.com/page"},
	}
}

// CallURL is an address that this service calls, or empty; which ones may be called depends on
// where it runs.
type CallURL string

// SchemaFragment describes the address in a JSON Schema.
func (CallURL) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": maxAddressLength,
		"pattern":  `^(https?://[A-Za-z0-9.:\[\]-]+([/?][!-"$-~]*)?)?$`,
		"examples": []any{"https://app.example.com/backchannel-logout"},
	}
}
