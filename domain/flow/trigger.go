package flow

import "slices"

// Trigger is the action that a flow decides about.
type Trigger string

// The triggers.
const (
	Login         Trigger = "login"
	Signup        Trigger = "signup"
	Refresh       Trigger = "refresh"
	PasswordReset Trigger = "password_reset"
	MFAVerify     Trigger = "mfa_verify"
	SocialLogin   Trigger = "social_login"
	PasskeyLogin  Trigger = "passkey_login"
	M2MToken      Trigger = "m2m_token"
)

// Triggers lists all triggers.
func Triggers() []Trigger {
	return []Trigger{Login, Signup, Refresh, PasswordReset, MFAVerify, SocialLogin, PasskeyLogin, M2MToken}
}

// SignsIn reports whether flows of the trigger are sign-in rules of a workspace.
func (t Trigger) SignsIn() bool { return slices.Contains(SignInTriggers(), t) }

// SignInTriggers lists the triggers of sign-in rules.
func SignInTriggers() []Trigger { return []Trigger{Login, SocialLogin, PasskeyLogin} }

// SchemaFragment describes the trigger in a JSON Schema.
func (Trigger) SchemaFragment() map[string]any {
	all := make([]any, 0, len(Triggers()))
	for _, t := range Triggers() {
		all = append(all, string(t))
	}
	return map[string]any{"type": "string", "enum": all}
}

// Scope is the owner of a flow: the instance or a workspace.
type Scope string

// The scopes.
const (
	Instance  Scope = "instance"
	Workspace Scope = "workspace"
)

// SchemaFragment describes the scope in a JSON Schema.
func (Scope) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Instance), string(Workspace)}}
}
