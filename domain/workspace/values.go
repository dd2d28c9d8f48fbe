package workspace

import (
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// printable is a character class of everything but controls.
const printable = `[^\x00-\x1f\x7f-\x9f]`

// Name is a name that people of all workspaces are shown, by the rules of theirs.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 100, "pattern": `^` + printable + `*[^\x00-\x20\x7f-\xa0]` + printable + `*$`,
		"examples": []any{"Analytical Engines"},
	}
}

// LogoURL is the https address of a picture, or empty.
type LogoURL string

// SchemaFragment describes the address in a JSON Schema.
func (LogoURL) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": 2048,
		"pattern":  `^(https://[A-Za-z0-9.:\[\]-]+([/?#][!-~]*)?)?$`,
		"examples": []any{"https://example.com/logo.png"},
	}
}

// Method is a login method, as far as workspaces distinguish them.
type Method string

// The methods that a workspace may allow.
const (
	ByPassword  Method = "password"
	ByPasskey   Method = "passkey"
	ByEmailCode Method = "email_code"
	BySocial    Method = "social"
	BySSO       Method = "sso"
)

// Methods lists all of them.
func Methods() []Method { return []Method{ByPassword, ByPasskey, ByEmailCode, BySocial, BySSO} }

// SchemaFragment describes the method in a JSON Schema.
func (Method) SchemaFragment() map[string]any {
	names := make([]any, 0, len(Methods()))
	for _, method := range Methods() {
		names = append(names, string(method))
	}
	return map[string]any{"type": "string", "enum": names}
}

// MethodOf returns the login method of a session, by the first of its authentication
// methods (RFC 8176); further ones are additional factors.
func MethodOf(amr []string) Method {
	if len(amr) == 0 {
		return ""
	}
	switch amr[0] {
	case "pwd":
		return ByPassword
	case "otp":
		return ByEmailCode
	case "fed":
		return BySocial
	default:
		return ByPasskey
	}
}

// Entry are the requirements for entering a workspace.
type Entry struct {
	AllowedMethods []Method
	// MFA reports whether the policy of the workspace requires a second factor.
	MFA      bool
	Disabled bool
	// Rules identify its sign-in rules.
	Rules RulesMark
}

// Admit fails with ErrSuspended, and with an AUTH_ERROR that names the allowed methods
// if the login method is not among them.
func (e Entry) Admit(by Method) error {
	switch {
	case e.Disabled:
		return ErrSuspended
	case len(e.AllowedMethods) == 0 || slices.Contains(e.AllowedMethods, by):
		return nil
	}
	names := make([]string, len(e.AllowedMethods))
	for i, method := range e.AllowedMethods {
		names[i] = string(method)
	}
	return fault.New(fault.Auth, "the workspace requires one of these sign-in methods: "+strings.Join(names, ", "))
}
