// Package door is the room of pages to sign in, up and out, and of requests of applications.
package door

import (
	"html/template"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/terminal"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room.
func on(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// Routes returns the routes to sign in, up and out.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET /login", kit.Everybody, (*visit).login),
		on("POST /login", kit.Everybody, (*visit).loginByPassword),
		on("POST /login/passkey/options", kit.Everybody, (*visit).passkeyLoginOptions),
		on("POST /login/passkey", kit.Everybody, (*visit).loginByPasskey),
		on("POST /login/code", kit.Everybody, (*visit).mailCode),
		on("GET /login/code", kit.Everybody, (*visit).code),
		on("POST /login/code/verify", kit.Everybody, (*visit).loginByCode),
		on("POST /login/link", kit.Everybody, (*visit).loginByLink),
		on("GET /login/factor", kit.Everybody, (*visit).factor),
		on("POST /login/factor", kit.Everybody, (*visit).answerFactor),
		on("POST /login/factor/send", kit.Everybody, (*visit).sendFactorCode),
		on("POST /login/factor/options", kit.Everybody, (*visit).passkeyFactorOptions),
		on("GET /login/social/{provider}", kit.Everybody, (*visit).socialLogin),
		on("GET /login/social/{provider}/done", kit.Everybody, (*visit).socialDone),
		on("POST /logout", kit.Everybody, (*visit).logout),
		on("GET /logout", kit.Everybody, (*visit).logoutPage),

		on("GET "+authorizePath, kit.Everybody, (*visit).authorize),
		on("GET "+endSessionPath, kit.Everybody, (*visit).endSession),
		on("POST /account/consent", kit.Person, (*visit).decide),
		on("POST /account/consent/another", kit.Person, (*visit).switchAccount),
		on("GET "+kit.DevicePath, kit.Person, (*visit).device),
		on("POST "+kit.DevicePath, kit.Person, (*visit).findDevice),
		on("POST "+kit.DevicePath+"/decide", kit.Person, (*visit).decideDevice),
		on("GET "+terminal.Path, kit.Person, (*visit).terminal),
		on("POST "+terminal.Path, kit.Person, (*visit).decideTerminal),

		on("GET /signup", kit.Everybody, (*visit).signup),
		on("POST /signup", kit.Everybody, (*visit).signupByPassword),
		on("POST /signup/passkey/options", kit.Everybody, (*visit).passkeySignupOptions),
		on("POST /signup/passkey", kit.Everybody, (*visit).signupByPasskey),
		on("GET /recover", kit.Everybody, (*visit).recover),
		on("POST /recover", kit.Everybody, (*visit).mailReset),
		on("GET /recover/sent", kit.Everybody, (*visit).resetMailed),
		on("POST /recover/password", kit.Everybody, (*visit).resetPassword),
		on("POST "+strengthPath, kit.Everybody, (*visit).strength),
		on("GET /verify", kit.Everybody, (*visit).verify),
		on("POST /verify", kit.Everybody, (*visit).verifyAddress),
		on("GET "+kit.InvitationPath, kit.Everybody, (*visit).invitation),
		on("POST "+kit.InvitationPath, kit.Everybody, (*visit).acceptInvitation),
	}
}

// Paths returns the path prefixes of the room.
func Paths() []string {
	return []string{"/login", "/logout", "/signup", "/recover", "/verify", kit.InvitationPath, authorizePath, endSessionPath, kit.DevicePath}
}

// Functions are those of its templates.
func Functions() template.FuncMap {
	return template.FuncMap{"strengthPath": func() string { return strengthPath }}
}
