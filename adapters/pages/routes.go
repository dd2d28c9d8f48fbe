package pages

import (
	"slices"

	"gatehouse.internal/domain/terminal"
)

// routes returns all pages and actions except assets and the development pages.
func routes() []route {
	return slices.Concat([]route{{"GET /{$}", everybody, (*visit).root}}, doorRoutes(), accountRoutes(), sessionRoutes(), teamRoutes(), vendingRoutes(), billingRoutes(), webhookRoutes(), flowRoutes())
}

// routes returns the routes of this site, which depend on its configuration.
func (s *Site) routes() []route {
	if s.Dev == nil {
		return append(routes(), s.paddleRoutes()...)
	}
	all := slices.Concat(s.paddleRoutes(), doorRoutes(), accountRoutes(), sessionRoutes(), teamRoutes(), vendingRoutes(), billingRoutes(), webhookRoutes(), flowRoutes())
	for _, one := range devRoutes() {
		all = append(all, route{one.pattern, one.who, ownOnly(one.page)})
	}
	return all
}

// doorRoutes returns the routes to sign in, up and out.
func doorRoutes() []route {
	return []route{
		{"GET " + changePasswordPath, everybody, (*visit).whereToChangePassword},
		{"GET /login", everybody, (*visit).login},
		{"POST /login", everybody, (*visit).loginByPassword},
		{"POST /login/passkey/options", everybody, (*visit).passkeyLoginOptions},
		{"POST /login/passkey", everybody, (*visit).loginByPasskey},
		{"POST /login/code", everybody, (*visit).mailCode},
		{"GET /login/code", everybody, (*visit).code},
		{"POST /login/code/verify", everybody, (*visit).loginByCode},
		{"POST /login/link", everybody, (*visit).loginByLink},
		{"GET /login/factor", everybody, (*visit).factor},
		{"POST /login/factor", everybody, (*visit).answerFactor},
		{"POST /login/factor/send", everybody, (*visit).sendFactorCode},
		{"POST /login/factor/options", everybody, (*visit).passkeyFactorOptions},
		{"GET /login/social/{provider}", everybody, (*visit).socialLogin},
		{"GET /login/social/{provider}/done", everybody, (*visit).socialDone},
		{"GET /login/required", unfinished, (*visit).required},
		{"POST /login/required/password", unfinished, (*visit).requiredPassword},
		{"POST /login/required/verification", unfinished, (*visit).requiredVerification},
		{"POST /logout", everybody, (*visit).logout},
		{"GET /logout", everybody, (*visit).logoutPage},

		{"GET " + authorizePath, everybody, (*visit).authorize},
		{"GET " + endSessionPath, everybody, (*visit).endSession},
		{"POST /account/consent", person, (*visit).decide},
		{"POST /account/consent/another", person, (*visit).switchAccount},
		{"GET " + devicePath, person, (*visit).device},
		{"POST " + devicePath, person, (*visit).findDevice},
		{"POST " + devicePath + "/decide", person, (*visit).decideDevice},
		{"GET " + terminal.Path, person, (*visit).terminal},
		{"POST " + terminal.Path, person, (*visit).decideTerminal},

		{"GET /signup", everybody, (*visit).signup},
		{"POST /signup", everybody, (*visit).signupByPassword},
		{"POST /signup/passkey/options", everybody, (*visit).passkeySignupOptions},
		{"POST /signup/passkey", everybody, (*visit).signupByPasskey},
		{"GET /recover", everybody, (*visit).recover},
		{"POST /recover", everybody, (*visit).mailReset},
		{"GET /recover/sent", everybody, (*visit).resetMailed},
		{"POST /recover/password", everybody, (*visit).resetPassword},
		{"POST " + strengthPath, everybody, (*visit).strength},
		{"GET /verify", everybody, (*visit).verify},
		{"POST /verify", everybody, (*visit).verifyAddress},
		{"GET " + invitationPath, everybody, (*visit).invitation},
		{"POST " + invitationPath, everybody, (*visit).acceptInvitation},
	}
}

// sessionRoutes returns the routes of a person's sessions, and of support that acts as them.
func sessionRoutes() []route {
	return []route{
		{"GET /account/sessions", person, (*visit).sessions},
		{"POST /account/sessions/revoke", person, (*visit).revokeSession},
		{"POST /account/sessions/revoke-others", person, (*visit).revokeOtherSessions},
		{"POST /account/sessions/devices/revoke", person, (*visit).revokeDevice},

		{"GET " + signInsPath, person, (*visit).signIns},
		{"GET " + signInsPath + "/{id}/not-mine", person, (*visit).askSignIn},
		{"POST " + signInsPath + "/mine", person, (*visit).ownSignIn},
		{"POST " + signInsPath + "/not-mine", person, (*visit).disownSignIn},

		{"GET " + supportPath, person, (*visit).support},
		{"POST " + supportPath + "/stop", person, (*visit).stopSupport},
		{"POST " + supportPath + "/allow", person, (*visit).allowSupport},
	}
}

// accountRoutes returns the routes of a person's account.
func accountRoutes() []route {
	return []route{
		{"GET /account", person, (*visit).profile},
		{"GET /account/profile", person, (*visit).profile},
		{"GET /account/profile/name", person, (*visit).name},
		{"POST /account/profile/name", person, (*visit).changeName},
		{"GET /account/profile/email", person, (*visit).email},
		{"POST /account/profile/email", person, (*visit).changeEmail},
		{"POST /account/profile/verification", person, (*visit).mailVerification},
		{"GET /account/profile/delete", person, (*visit).deletion},
		{"POST /account/profile/delete", person, (*visit).deleteAccount},
		{"GET " + confirmPath, person, (*visit).confirm},
		{"POST " + confirmPath, person, (*visit).reauthenticate},

		{"GET /account/security", person, (*visit).security},
		{"GET /account/security/password", person, (*visit).password},
		{"POST /account/security/password", person, (*visit).changePassword},
		{"POST /account/security/totp", unfinished, (*visit).beginTOTP},
		{"POST /account/security/totp/verify", unfinished, (*visit).confirmTOTP},
		{"POST /account/security/email", unfinished, (*visit).beginEmailCodes},
		{"POST /account/security/email/verify", unfinished, (*visit).confirmEmailCodes},
		{"GET /account/security/factors/{id}/remove", person, (*visit).askFactor},
		{"POST /account/security/factors/remove", person, (*visit).removeFactor},
		{"GET /account/security/codes/new", person, (*visit).askCodes},
		{"POST /account/security/codes", person, (*visit).newRecoveryCodes},
		{"GET /account/security/codes", everybody, (*visit).recoveryCodes},
		{"POST /account/security/passkeys/options", unfinished, (*visit).passkeyOptions},
		{"POST /account/security/passkeys", unfinished, (*visit).addPasskey},
		{"GET /account/security/passkeys/{id}", person, (*visit).passkey},
		{"GET /account/security/passkeys/{id}/remove", person, (*visit).askPasskey},
		{"POST /account/security/passkeys/rename", person, (*visit).renamePasskey},
		{"POST /account/security/passkeys/revoke", person, (*visit).revokePasskey},

		{"GET /account/connections", person, (*visit).connections},
		{"POST /account/connections/apps/revoke", person, (*visit).disconnect},
		{"GET /account/connections/{provider}/link", person, (*visit).socialLink},
		{"GET /account/connections/{provider}/done", person, (*visit).socialLinked},
		{"GET /account/connections/{provider}/unlink", person, (*visit).askIdentity},
		{"POST /account/connections/unlink", person, (*visit).unlink},

		{"GET /account/keys", person, (*visit).keys},
		{"GET /account/keys/new", person, (*visit).newKey},
		{"POST /account/keys/new", person, (*visit).createKey},
		{"GET /account/keys/{id}/revoke", person, (*visit).askKey},
		{"POST /account/keys/revoke", person, (*visit).revokeKey},

		{"GET /account/notices", person, (*visit).notices},
		{"POST /account/notices/read", person, (*visit).readNotices},
		{"GET /account/notices/mail", person, (*visit).preferences},
		{"POST /account/notices/mail", person, (*visit).setPreferences},
	}
}
