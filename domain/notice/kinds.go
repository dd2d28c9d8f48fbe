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
		{PasswordReset, "password.reset", "Your password was reset", "The password of your account was set anew by a link that was mailed to you, and all sessions were ended.", vital},
		{PasswordSet, "password.set", "Your password was set by an administrator", "An administrator set a new password for your account.", vital},
		{EmailChanged, "user.email_changed", "Your email address was changed", "Your account has another email address now, which mail about it goes to.", vital},
		{FactorEnrolled, "mfa.enrolled", "A second factor was added", "A second factor was added to your account: signing in asks for it from now on.", vital},
		{FactorRemoved, "mfa.removed", "A second factor was removed", "A second factor was removed from your account.", vital},
		{FactorsReset, "mfa.reset", "Your second factors were removed", "An administrator removed all second factors of your account.", vital},
		{CodesRegenerated, "mfa.recovery_codes_regenerated", "New recovery codes were made", "New recovery codes were made for your account: those from before do not work any more.", vital},
		{CodeUsed, "", "A recovery code was used", "One of your recovery codes stood in for your second factor. It does not work again: see how many are left.", vital},
		{StandInCreated, "mfa.bypass_created", "A bypass code was made for you", "An administrator made a code that stands in for your second factor once.", vital},
		{PasskeyRegistered, "passkey.registered", "A passkey was added", "A passkey was added to your account: it can sign you in.", vital},
		{PasskeyRevoked, "passkey.revoked", "A passkey was removed", "A passkey was removed from your account. Sessions that it began go on: sign out those that are not yours.", vital},
		{IdentityLinked, "identity.linked", "An account elsewhere was linked", "An account of another provider was linked to yours: it can sign you in.", vital},
		{IdentityUnlinked, "identity.unlinked", "An account elsewhere was unlinked", "An account of another provider does not sign you in any more.", vital},
		{KeyCreated, "api_key.created", "An API key was created", "An API key was created that acts on your behalf.", vital},
		{KeyLeaked, "api_key.leak_reported", "An API key of yours was found in public", "An API key of yours was reported as found in public, and ended.", vital},
		{AccountLocked, "user.locked", "Your account is locked for a while", "To get in at once, reset your password: \"Forgot your password?\" on the sign-in page mails you a link. Too many wrong passwords were given for your account, so its password does not work for a while.", vital},
		{FactorsLocked, "", "Your second factor is locked for a while", "If the codes were not yours, somebody knows your password: change it. To get in at once, sign in with a passkey, or ask an administrator to lift the lock. Too many wrong codes were given for your account by somebody who had got as far as the second factor, so no code works for a while.", vital},
		{SessionGuessed, "session.guessed", "Your password was guessed at within a session", "Too many wrong passwords were given by somebody who is signed in to your account. If that was not you, sign out the sessions that are not yours and change your password.", vital},
		{ReuseDetected, "session.reuse_detected", "A session was ended for your safety", "A token of one of your sessions was used twice, as if it had been copied, so that session was ended.", vital},
		{DeviceTrusted, "device.trusted", "A device is remembered", "Signing in from a device needs no second factor for a while.", optional},
		{SuperadminChanged, "user.superadmin_changed", "Your rights as superadmin changed", "Your account was made a superadmin, or is none any more.", vital},
		{RiskyLogin, "", "Was this sign-in yours?", "Somebody gave what signs in to your account, in a way that looks unlike you. If it was not you, say so on the page of sign-ins that looked unlike you, which undoes it, and change your password.", vital},
		{ActedAs, "impersonation.started", "Support acts as you for a while", "Somebody of the support staff acts in your account, without your password and without changing how you sign in. The page of support access says who and why, and stops it.", vital},
		{WebhookFailing, "", "A webhook of your workspace takes nothing", "A webhook of a workspace that you own has taken no message for a day. If that goes on it is switched off: see its deliveries for what goes wrong.", optional},
		{WebhookDisabled, "", "A webhook endpoint of your workspace was disabled", "A webhook of a workspace that you own has taken no message for days, so it was switched off. Repair the receiver, switch the webhook on again, and recover what it missed with WEBHOOK.BULK_REPLAY.", optional},
		{NewDevice, "", "New sign-in to your account", "Somebody signed in to your account with a browser or app that it has not seen lately.", optional},
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
