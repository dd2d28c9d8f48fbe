package notice

import "gatehouse.internal/domain/event"

// Kind is the kind of a notice.
type Kind string

// The kinds of notices.
const (
	PasswordChanged  Kind = "password_changed"
	PasswordReset    Kind = "password_reset"
	PasswordSet      Kind = "password_set"
	EmailChanged     Kind = "email_changed"
	FactorEnrolled   Kind = "mfa_enrolled"
	FactorRemoved    Kind = "mfa_removed"
	FactorsReset     Kind = "mfa_reset"
	CodesRegenerated Kind = "recovery_codes_regenerated"
	// CodeUsed is raised by the check of a second factor.
	CodeUsed          Kind = "recovery_code_used"
	StandInCreated    Kind = "mfa_bypass_created"
	PasskeyRegistered Kind = "passkey_registered"
	PasskeyRevoked    Kind = "passkey_revoked"
	IdentityLinked    Kind = "identity_linked"
	IdentityUnlinked  Kind = "identity_unlinked"
	KeyCreated        Kind = "api_key_created"
	KeyLeaked         Kind = "api_key_leaked"
	AccountLocked     Kind = "account_locked"
	FactorsLocked     Kind = "mfa_locked"
	SessionGuessed    Kind = "session_guessed"
	ReuseDetected     Kind = "session_reuse_detected"
	DeviceTrusted     Kind = "device_trusted"
	SuperadminChanged Kind = "superadmin_changed"
	// NewDevice is raised by the login itself, as FactorsLocked is by a wrong code.
	NewDevice Kind = "new_device"
	// RiskyLogin is raised by the login, too.
	RiskyLogin Kind = "risky_login"
	ActedAs    Kind = "impersonation_started"
	// WebhookFailing and WebhookDisabled are raised by the sender of webhooks, for
	// owners.
	WebhookFailing  Kind = "webhook_failing"
	WebhookDisabled Kind = "webhook_disabled"
)

// SchemaFragment describes the kind in a JSON Schema.
func (Kind) SchemaFragment() map[string]any {
	names := []any{}
	for _, one := range All() {
		names = append(names, string(one.Kind))
	}
	return map[string]any{"type": "string", "enum": names}
}

// Definition is the text of a kind of notice.
type Definition struct {
	Kind Kind
	// RaisedBy is the event kind that raises it; empty if it is raised by the login,
	// the verification of a second factor, or the sender of webhooks.
	RaisedBy event.Kind
	Headline string
	Sentence string
	// Vital notices are mailed whatever the person prefers: they report what may admit
	// somebody else, or lock the owner out.
	Vital bool
}

// Page returns the path of the page where the person answers the notice; empty: there is none.
func (d Definition) Page() string {
	switch d.Kind {
	case RiskyLogin:
		return "/account/sessions/sign-ins"
	case ActedAs:
		return "/account/sessions/support"
	default:
		return ""
	}
}

// All lists the kinds, in the order in which they are shown.
func All() []Definition {
	const vital, optional = true, false
	return []Definition{
		{PasswordChanged, "password.changed", "Your password was changed", "The password of your account was changed.", vital},
		{PasswordReset, "password.reset", "Your password was reset", "A link that was emailed to you was used to set a new password. All sessions were signed out.", vital},
		{PasswordSet, "password.set", "An administrator set your password", "An administrator set a new password for your account.", vital},
		{EmailChanged, "user.email_changed", "Your email address was changed", "Your account has a new email address. Emails about your account now go to that address.", vital},
		{FactorEnrolled, "mfa.enrolled", "A second factor was added", "A second factor was added to your account. From now on, you need it to sign in.", vital},
		{FactorRemoved, "mfa.removed", "A second factor was removed", "A second factor was removed from your account.", vital},
		{FactorsReset, "mfa.reset", "Your second factors were removed", "An administrator removed all second factors from your account.", vital},
		{CodesRegenerated, "mfa.recovery_codes_regenerated", "New recovery codes were created", "New recovery codes were created for your account. The previous codes no longer work.", vital},
		{CodeUsed, "", "A recovery code was used", "One of your recovery codes was used in place of your second factor. It will not work again: check how many you have left.", vital},
		{StandInCreated, "mfa.bypass_created", "A bypass code was created for you", "An administrator created a code that can be used once in place of your second factor.", vital},
		{PasskeyRegistered, "passkey.registered", "A passkey was added", "A passkey was added to your account. It can be used to sign in.", vital},
		{PasskeyRevoked, "passkey.revoked", "A passkey was removed", "A passkey was removed from your account. Sessions that it started stay signed in: sign out any that are not yours.", vital},
		{IdentityLinked, "identity.linked", "An external account was linked", "An account at another provider was linked to your account. It can be used to sign in.", vital},
		{IdentityUnlinked, "identity.unlinked", "An external account was unlinked", "An account at another provider was unlinked from your account. It can no longer be used to sign in.", vital},
		{KeyCreated, "api_key.created", "An API key was created", "An API key that acts on your behalf was created.", vital},
		{KeyLeaked, "api_key.leak_reported", "Your API key was reported as leaked", "One of your API keys was reported as found in public and was revoked.", vital},
		{AccountLocked, "user.locked", "Your account is temporarily locked", "To sign in now, reset your password with \"Forgot your password?\" on the sign-in page. Too many wrong passwords were entered for your account, so its password does not work for a while.", vital},
		{FactorsLocked, "", "Your second factor is temporarily locked", "If you did not enter the codes, someone knows your password: change it. To sign in now, use a passkey, or ask an administrator to unlock your account. Someone who had reached the second factor entered too many wrong codes, so no code works for a while.", vital},
		{SessionGuessed, "session.guessed", "Wrong passwords were entered in one of your sessions", "Someone who is signed in to your account entered too many wrong passwords. If this was not you, sign out the sessions that are not yours and change your password.", vital},
		{ReuseDetected, "session.reuse_detected", "A session was signed out for your safety", "A token from one of your sessions was used twice, as if it had been copied, so the session was signed out.", vital},
		{DeviceTrusted, "device.trusted", "A device was remembered", "Signing in from this device needs no second factor for a while.", optional},
		{SuperadminChanged, "user.superadmin_changed", "Your superadmin rights changed", "Superadmin rights were granted to your account or revoked.", vital},
		{RiskyLogin, "", "Unusual sign-in to your account", "Someone used your sign-in details in a way that is unusual for you. If it was not you, report it under your unusual sign-ins, which ends its session, and change your password.", vital},
		{ActedAs, "impersonation.started", "Support is acting as you", "Open the support access page to see who and why, or to stop it. A support agent is temporarily acting in your account, without your password and without changing how you sign in.", vital},
		{WebhookFailing, "", "A webhook endpoint of your workspace is failing", "A webhook endpoint of a workspace that you own has accepted nothing for a day. If this continues, the endpoint is disabled. Check its deliveries for the cause.", optional},
		{WebhookDisabled, "", "A webhook endpoint of your workspace was disabled", "A webhook endpoint of a workspace that you own accepted nothing for days, so it was disabled. Fix the receiver, enable the endpoint, and recover the events it missed with WEBHOOK.BULK_REPLAY.", optional},
		{NewDevice, "", "New sign-in to your account", "Someone signed in to your account with a browser or app that it has not been used with recently.", optional},
	}
}

// Find returns the definition of a kind; false for one of another release.
func Find(kind Kind) (Definition, bool) {
	for _, one := range All() {
		if one.Kind == kind {
			return one, true
		}
	}
	return Definition{}, false
}

// ByEvent returns the definitions by the kinds of events that raise them.
func ByEvent() map[event.Kind]Definition {
	raised := map[event.Kind]Definition{}
	for _, one := range All() {
		if one.RaisedBy != "" {
			raised[one.RaisedBy] = one
		}
	}
	return raised
}
