// Package branding defines the branding of mails and pages, set by the instance and
// overridden by workspaces.
package branding

import (
	"cmp"
	"net/url"
	"strings"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
)

// Settings is a branding. Empty values of a workspace default to the instance's, and those
// of the instance to the built-in ones.
type Settings struct {
	Name         Name          `json:"name,omitzero"`
	LogoURL      LogoURL       `json:"logo_url,omitzero"`
	Colors       Colors        `json:"colors,omitzero"`
	SupportEmail email.Address `json:"support_email,omitzero"`
	// Locale is the language of mail to people without a preference.
	Locale user.Locale `json:"locale,omitzero"`
}

// Builtin returns the default branding.
func Builtin() Settings {
	return Settings{Name: "Gatehouse", Colors: Colors{}.Whole()}
}

// Over returns the branding with empty values taken from base.
func (l Settings) Over(base Settings) Settings {
	return Settings{
		Name: cmp.Or(l.Name, base.Name), LogoURL: cmp.Or(l.LogoURL, base.LogoURL), Colors: cmp.Or(l.Colors, base.Colors),
		SupportEmail: cmp.Or(l.SupportEmail, base.SupportEmail), Locale: cmp.Or(l.Locale, base.Locale),
	}
}

// Whole returns the branding with empty values taken from the built-in one.
func (l Settings) Whole() Settings {
	l.Colors = l.Colors.Whole()
	return l.Over(Builtin())
}

// Name is the display name of the service or the workspace: one line, isolated in its
// text direction.
type Name string

// UnmarshalText reads a name.
func (n *Name) UnmarshalText(text []byte) error {
	if strings.ContainsFunc(string(text), user.Misleading) {
		return user.ErrNameMisleading
	}
	*n = Name(text)
	return nil
}

// SchemaFragment describes the name in a JSON Schema: everything but controls.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 80, "pattern": `^[^\x00-\x1f\x7f-\x9f]*$`, "examples": []any{"Acme"},
	}
}

// LogoURL is the https address of a picture: a host, without user information.
type LogoURL string

// SchemaFragment describes the address in a JSON Schema. Its host holds nothing that
// has a meaning in a Content-Security-Policy.
func (LogoURL) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 2048,
		"pattern":  `^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?(/[!-~]*)?$`,
		"examples": []any{"https://cdn.example.com/logo.png"},
	}
}

// Origin is where the picture comes from, "" where there is none.
func (l LogoURL) Origin() string {
	address, err := url.Parse(string(l))
	if err != nil || address.Host == "" {
		return ""
	}
	return "https://" + address.Host
}
