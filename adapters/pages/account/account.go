// Package account is the room of a person's account: the profile, how they sign in, sessions,
// API keys and notices.
package account

import (
	"slices"

	"gatehouse.internal/adapters/pages/kit"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room.
func on(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// sessionRoutes returns the routes of a person's sessions, and of support that acts as them.
func sessionRoutes() []kit.Route {
	return []kit.Route{
		on("GET /account/sessions", kit.Person, (*visit).sessions),
		on("POST /account/sessions/revoke", kit.Person, (*visit).revokeSession),
		on("POST /account/sessions/revoke-others", kit.Person, (*visit).revokeOtherSessions),
		on("POST /account/sessions/devices/revoke", kit.Person, (*visit).revokeDevice),

		on("GET "+signInsPath, kit.Person, (*visit).signIns),
		on("GET "+signInsPath+"/{id}/not-mine", kit.Person, (*visit).askSignIn),
		on("POST "+signInsPath+"/mine", kit.Person, (*visit).ownSignIn),
		on("POST "+signInsPath+"/not-mine", kit.Person, (*visit).disownSignIn),

		on("GET "+supportPath, kit.Person, (*visit).support),
		on("POST "+supportPath+"/stop", kit.Person, (*visit).stopSupport),
		on("POST "+supportPath+"/allow", kit.Person, (*visit).allowSupport),
	}
}

// accountRoutes returns the routes of a person's account.
func accountRoutes() []kit.Route {
	return []kit.Route{
		on("GET "+changePasswordPath, kit.Everybody, (*visit).whereToChangePassword),
		on("GET /login/required", kit.Unfinished, (*visit).required),
		on("POST /login/required/password", kit.Unfinished, (*visit).requiredPassword),
		on("POST /login/required/verification", kit.Unfinished, (*visit).requiredVerification),

		on("GET /account", kit.Person, (*visit).profile),
		on("GET /account/profile", kit.Person, (*visit).profile),
		on("GET /account/profile/name", kit.Person, (*visit).name),
		on("POST /account/profile/name", kit.Person, (*visit).changeName),
		on("GET /account/profile/email", kit.Person, (*visit).email),
		on("POST /account/profile/email", kit.Person, (*visit).changeEmail),
		on("POST /account/profile/verification", kit.Person, (*visit).mailVerification),
		on("GET /account/profile/delete", kit.Person, (*visit).deletion),
		on("POST /account/profile/delete", kit.Person, (*visit).deleteAccount),
		on("GET "+kit.ConfirmPath, kit.Person, (*visit).confirm),
		on("POST "+kit.ConfirmPath, kit.Person, (*visit).reauthenticate),

		on("GET /account/security", kit.Person, (*visit).security),
		on("GET /account/security/password", kit.Person, (*visit).password),
		on("POST /account/security/password", kit.Person, (*visit).changePassword),
		on("POST /account/security/totp", kit.Unfinished, (*visit).beginTOTP),
		on("POST /account/security/totp/verify", kit.Unfinished, (*visit).confirmTOTP),
		on("POST /account/security/email", kit.Unfinished, (*visit).beginEmailCodes),
		on("POST /account/security/email/verify", kit.Unfinished, (*visit).confirmEmailCodes),
		on("GET /account/security/factors/{id}/remove", kit.Person, (*visit).askFactor),
		on("POST /account/security/factors/remove", kit.Person, (*visit).removeFactor),
		on("GET /account/security/codes/new", kit.Person, (*visit).askCodes),
		on("POST /account/security/codes", kit.Person, (*visit).newRecoveryCodes),
		on("GET /account/security/codes", kit.Everybody, (*visit).recoveryCodes),
		on("POST /account/security/passkeys/options", kit.Unfinished, (*visit).passkeyOptions),
		on("POST /account/security/passkeys", kit.Unfinished, (*visit).addPasskey),
		on("GET /account/security/passkeys/{id}", kit.Person, (*visit).passkey),
		on("GET /account/security/passkeys/{id}/remove", kit.Person, (*visit).askPasskey),
		on("POST /account/security/passkeys/rename", kit.Person, (*visit).renamePasskey),
		on("POST /account/security/passkeys/revoke", kit.Person, (*visit).revokePasskey),

		on("GET /account/connections", kit.Person, (*visit).connections),
		on("POST /account/connections/apps/revoke", kit.Person, (*visit).disconnect),
		on("GET /account/connections/{provider}/link", kit.Person, (*visit).socialLink),
		on("GET /account/connections/{provider}/done", kit.Person, (*visit).socialLinked),
		on("GET /account/connections/{provider}/unlink", kit.Person, (*visit).askIdentity),
		on("POST /account/connections/unlink", kit.Person, (*visit).unlink),

		on("GET /account/keys", kit.Person, (*visit).keys),
		on("GET /account/keys/new", kit.Person, (*visit).newKey),
		on("POST /account/keys/new", kit.Person, (*visit).createKey),
		on("GET /account/keys/{id}/revoke", kit.Person, (*visit).askKey),
		on("POST /account/keys/revoke", kit.Person, (*visit).revokeKey),

		on("GET /account/notices", kit.Person, (*visit).notices),
		on("POST /account/notices/read", kit.Person, (*visit).readNotices),
		on("GET /account/notices/mail", kit.Person, (*visit).preferences),
		on("POST /account/notices/mail", kit.Person, (*visit).setPreferences),
	}
}

// changePasswordPath leads password managers to the form to change a password (W3C, A
// Well-Known URL for Changing Passwords).
const changePasswordPath = "/.well-known/change-password" //nolint:gosec // an address

// Routes returns the pages of the room.
func Routes() []kit.Route { return slices.Concat(accountRoutes(), sessionRoutes()) }

// Paths returns the path prefixes of the room, and of the rooms below /account.
func Paths() []string { return []string{changePasswordPath, kit.Account} }
