package pages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestErrorsStandBesideTheirFields(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.SignUp("ada@example.com")
	b := visit(t, h).get("/signup")
	b.fill("/signup", "display_name=Ada <b>", "email=no address", "password=12345678").shows(http.StatusUnprocessableEntity, "Error: Create your account", `Ada <b>`, "no address")
	if !strings.Contains(b.page.body, `aria-invalid="true" aria-describedby="email-error"`) || !strings.Contains(b.page.body, `id="email-error"`) {
		t.Errorf("the complaint does not stand beside its field: %s", b.page.body)
	}
	b.lacks("12345678", "Ada <b>")
	b.fill("/signup", "display_name=Ada", "email=ada@example.com", "password=a long secret phrase").shows(http.StatusUnprocessableEntity, `id="email-error"`[:2])
	b.lacks("a long secret phrase")
	b.fill("/signup", "display_name=Ada", "email=new@example.com", "password=password").shows(http.StatusUnprocessableEntity)
	if !strings.Contains(b.page.body, `id="password-error"`) {
		t.Errorf("a bad password is not told beside its field: %s", b.page.body)
	}
}

func TestMarkupIsText(t *testing.T) {
	t.Parallel()
	h := service(t)
	const markup = `<script>alert(1)</script>"'`
	b := visit(t, h).get("/signup")
	b.fill("/signup", "display_name="+markup, "email=ada@example.com", "password="+harness.Password).goes("/account").follow()
	b.shows(http.StatusOK).lacks("<script>alert")
	b.get("/account/profile/name").shows(http.StatusOK).lacks("<script>alert")
	b.fill("/account/profile/name", "display_name=").shows(http.StatusUnprocessableEntity)
	b.get("/account/keys/new").fill("/account/keys/new", "name="+markup).goes("/account/keys").follow().shows(http.StatusOK).lacks("<script>alert")
	visit(t, h).get(`/recover?token="><script>alert(1)</script>`).lacks("<script>alert")
	if got := pages.Picture(`data:image/svg+xml;base64,PHN2Zz4=`); got != "" {
		t.Errorf("Picture() lets %q stand", got)
	}
	if got := pages.Otpauth("javascript:alert(1)"); got != "" {
		t.Errorf("Otpauth() lets %q stand", got)
	}
}

// Pages reveal no more about the existence of accounts than commands do.
func TestPagesTellNothingOfAccounts(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.SignUp("known@example.com")
	bodies := func(address string) []string {
		var all []string
		b := visit(t, h).get("/login")
		all = append(all, b.fill("/login", "email="+address, "password=wrong wrong wrong").page.body)
		all = append(all, b.fill("/login/code", "email="+address).follow().page.body)
		all = append(all, b.fill("/login/code/verify", "code=000000").page.body)
		all = append(all, b.get("/recover").fill("/recover", "email="+address).follow().page.body)
		for i := range all {
			all[i] = formToken.ReplaceAllString(strings.ReplaceAll(all[i], address, "ADDRESS"), "")
			all[i] = pendingParameter.ReplaceAllString(pendingField.ReplaceAllString(all[i], ""), "")
		}
		return all
	}
	known, unknown := bodies("known@example.com"), bodies("nobody@example.com")
	if !slices.Equal(known, unknown) {
		t.Errorf("a known address is answered otherwise:\n%s\n%s", known, unknown)
	}
}

func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/keys/new").fill("/account/keys/new", "name=backup", "scopes=users:read", "days=30").goes("/account/keys")
	if strings.Contains(b.page.body, "ak_live_") {
		t.Error("a redirect holds the key")
	}
	b.follow().shows(http.StatusOK, "be shown again.", "backup")
	at := strings.Index(b.page.body, `id="made">`)
	key := b.page.body[at+len(`id="made">`):][:54]
	if who := h.With(key).Do("USER.ME", nil).OK().String("email"); who != "ada@example.com" {
		t.Errorf("the key is that of %s", who)
	}
	b.get("/account/keys").shows(http.StatusOK, "backup", "users:read").lacks(key, "be shown again")
}

func TestTooManyTries(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).get("/login")
	for range 10 {
		b.fill("/login", "email=ada@example.com", "password=wrong wrong").shows(http.StatusUnprocessableEntity)
	}
	b.fill("/login", "email=ada@example.com", "password=wrong wrong").shows(http.StatusTooManyRequests, "Too many attempts")
	if b.page.header.Get("Retry-After") == "" {
		t.Error("it is not told when to come again")
	}
	visit(t, h).get("/login").fill("/login", "email=ada@example.com", "password=wrong wrong").shows(http.StatusUnprocessableEntity)
}

// The login page is shown even if the login methods cannot be determined.
func TestLoginPageUnderLimits(t *testing.T) {
	t.Parallel()
	b := visit(t, service(t))
	for range 70 {
		b.get("/login").shows(http.StatusOK, "Sign in", "Password")
	}
}

func TestStrangePaths(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).get("/login/nowhere").shows(http.StatusNotFound, "Page not found")
	b.get("/account/nowhere").shows(http.StatusNotFound, "Page not found").lacks("Sign out", "/account/security")
	visit(t, h).signUp("ada@example.com").get("/account/nowhere").shows(http.StatusNotFound, "Page not found", "Sign out", "/account/security")
	b.send(http.MethodPut, "/login", nil)
	if b.page.status == http.StatusOK {
		t.Error("PUT is answered")
	}
	b.get("/login")
	b.send(http.MethodPost, "/login", url.Values{"csrf": {b.token()}, "email": {strings.Repeat("a", 300<<10)}}).shows(http.StatusBadRequest)
	b.send(http.MethodHead, "/login", nil).shows(http.StatusOK)
}

// The root path redirects; an unknown path returns a page for browsers and an error
// envelope for other clients.
func TestFrontDoor(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).get("/").goes("/login")
	b.get("/nothing/here").shows(http.StatusNotFound, "Page not found · Gatehouse", "Sign in").lacks("NOT_FOUND")
	b.header.Set("Accept", "application/json")
	for _, path := range []string{"/", "/nothing/here"} {
		b.get(path)
		if b.page.status != http.StatusNotFound || !strings.Contains(b.page.body, `"code":"NOT_FOUND"`) {
			t.Errorf("a program gets %d %s from %s", b.page.status, b.page.body, path)
		}
	}
	ada := visit(t, h).signUp("ada@example.com")
	ada.get("/").goes("/account")
	ada.get("/nothing/here").shows(http.StatusNotFound, "Go to your account")
}

// /.well-known/change-password redirects for any Accept header.
func TestWhereToChangeAPassword(t *testing.T) {
	t.Parallel()
	const wellKnown = "/.well-known/change-password"
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get(wellKnown).goes("/account/security/password").follow().shows(http.StatusOK, "Change your password")
	stranger := visit(t, h)
	stranger.header.Set("Accept", "*/*")
	stranger.get(wellKnown).goes("/account/security/password").follow().goes("/login?return_to=%2Faccount%2Fsecurity%2Fpassword").follow().shows(http.StatusOK, "Sign in")
	stranger.get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200")
	if stranger.page.status != http.StatusNotFound {
		t.Errorf("what does not exist answers %d", stranger.page.status)
	}
}

// Sessions record the address and user agent of the browser.
func TestCommandsKnowTheBrowser(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/sessions").shows(http.StatusOK, "Firefox on Linux", b.header.Get("X-Forwarded-For"), "Current")
	number := b.page.header.Get("X-Request-Id")
	for _, made := range h.Events("user.created")[:1] {
		if made.Origin.IP != b.header.Get("X-Forwarded-For") || made.Origin.RequestID == "" || made.Origin.RequestID == number {
			t.Errorf("the event was by %+v", made.Origin)
		}
	}
}

func TestRevokedElsewhere(t *testing.T) {
	t.Parallel()
	h := service(t)
	here, there := visit(t, h).signUp("ada@example.com"), visit(t, h)
	there.login(harness.Password).goes("/account")
	other := h.Login("ada@example.com", harness.Password)
	here.get("/account/sessions").fill("/account/sessions/revoke", "id="+other.SessionID).goes("/account/sessions").follow().shows(http.StatusOK, "The session was signed out.")
	other.Do("USER.ME", nil).Fails(fault.Auth)
	here.fill("/account/sessions/revoke", "id=ses_01h455vb4pex5vsknk084sn02q").shows(http.StatusUnprocessableEntity, "Active sessions")
	here.fill("/account/sessions/revoke-others").goes("/account/sessions").follow().shows(http.StatusOK, "Signed out of 1 other session.")
	there.get("/account").goes("/login?return_to=%2Faccount")
}

func TestNothingIsChangedOfOthers(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	b := visit(t, h).signUp("eve@example.com")
	b.get("/account/sessions").fill("/account/sessions/revoke", "id="+ada.SessionID).shows(http.StatusUnprocessableEntity)
	ada.Do("USER.ME", nil).OK()
	b.get("/account/security/passkeys/pky_01h455vb4pex5vsknk084sn02q").shows(http.StatusNotFound)
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/profile/delete").fill("/account/profile/delete", "password=wrong wrong").shows(http.StatusUnprocessableEntity)
	b.get("/account/profile/delete").fill("/account/profile/delete", "password="+harness.Password).goes("/login").follow().shows(http.StatusOK, "Your account was deleted.")
	b.login(harness.Password).shows(http.StatusUnprocessableEntity)
}

func TestRegistrationClosed(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h := harness.On(t, dsn, "TRUSTED_PROXIES=192.0.2.0/24", "ENABLE_PUBLIC_REGISTRATION=false", "GITHUB_CLIENT_ID=id", "GITHUB_CLIENT_SECRET=secret of the client")
		b := visit(t, h)
		closed := func(status int) {
			t.Helper()
			b.shows(status, "by invitation only").lacks("<form", "/login/social", "data-passkey")
		}
		b.get("/signup")
		closed(http.StatusOK)
		b.get("/login").shows(http.StatusOK, "/login/social/github").lacks("/signup")
		// A form rendered before registration was closed shows the reason.
		b.fill("/signup", "display_name=Ada", "email=ada@example.com", "password="+harness.Password).shows(http.StatusUnprocessableEntity, "Public registration is disabled")
		closed(http.StatusUnprocessableEntity)

		root := h.Superadmin()
		root.Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": true}}).OK()
		b.get("/signup").shows(http.StatusOK, "/login/social/github", "data-passkey", "Use a passkey instead")
		if body := b.get("/login").page.body; !strings.Contains(body, `href="/signup"`) {
			t.Errorf("the page to log in does not lead to the sign-up: %s", body)
		}
		root.Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": false}}).OK()
		b.get("/signup")
		closed(http.StatusOK)
	})
}
