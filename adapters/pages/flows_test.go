package pages_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	bigendian "encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// code returns the current TOTP code (RFC 6238) by the clock of the service.
func code(t *testing.T, h *harness.Service, secret string) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatalf("the secret is no base32: %v", err)
	}
	mac := hmac.New(sha1.New, key)
	_ = bigendian.Write(mac, bigendian.BigEndian, h.Clock.Now().Unix()/30)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", bigendian.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}

var (
	otpauthLink = regexp.MustCompile(`href="(otpauth:[^"]+)"`)
	setupField  = regexp.MustCompile(`name="setup" value="([^"]+)"`)
	shownCode   = regexp.MustCompile(`<li><code>([^<]+)</code>`)
)

// found returns the first match of a pattern on the page.
func (b *browser) found(pattern *regexp.Regexp) string {
	b.t.Helper()
	match := pattern.FindStringSubmatch(b.page.body)
	if match == nil {
		b.t.Fatalf("%s is not on the page: %s", pattern, b.page.body)
	}
	return html.UnescapeString(match[1])
}

// enroll sets up an authenticator app, and returns its secret and a recovery code.
func (b *browser) enroll(h *harness.Service) (secret, recovery string) {
	b.t.Helper()
	b.fill("/account/security/totp").shows(http.StatusOK, "Scan this")
	address, err := url.Parse(b.found(otpauthLink))
	if err != nil {
		b.t.Fatal(err)
	}
	secret = address.Query().Get("secret")
	b.fill("/account/security/totp/verify", "setup="+b.found(setupField), "code="+code(b.t, h, secret))
	b.goes("/account/security/codes").follow().shows(http.StatusOK)
	return secret, b.found(shownCode)
}

func TestEnrollmentAndSecondStep(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/security").fill("/account/security/totp").shows(http.StatusOK)
	setup, address := b.found(setupField), b.found(otpauthLink)
	b.fill("/account/security/totp/verify", "setup="+setup, "code=000 000").shows(http.StatusUnprocessableEntity)
	if again := b.found(otpauthLink); again != address {
		t.Error("a wrong code made another secret")
	}
	b.fill("/account/security/totp/verify", "setup=forged", "code=000000").shows(http.StatusUnprocessableEntity)
	secret, recovery := b.get("/account/security").enroll(h)
	b.get("/account/security").shows(http.StatusOK, "10 codes left", "Authenticator app").lacks(recovery, secret)
	b.get("/account/security/codes").goes("/account/security")

	h.Clock.Advance(time.Minute)
	next := visit(t, h)
	next.login(harness.Password).goes("/login/factor").follow().shows(http.StatusOK, "authenticator app", "Recovery code", "Code from the helpdesk")
	next.copied().get("/account").goes("/login?return_to=%2Faccount")
	next.fill("/login/factor", "method=totp", "code=000000").shows(http.StatusUnprocessableEntity)
	next.fill("/login/factor", "method=totp", "code="+code(t, h, secret), "remember=1").goes("/account")
	if next.cookies["gatehouse-device"] == "" {
		t.Error("the browser was not remembered")
	}
	next.follow().fill("/logout").goes("/login")
	next.login(harness.Password).goes("/account")

	lost := visit(t, h)
	lost.login(harness.Password).goes("/login/factor").follow()
	lost.click("/login/factor?method=recovery_code").fill("/login/factor", "method=recovery_code", "code="+strings.ToUpper(recovery)).goes("/account")
	lost.get("/account/security").shows(http.StatusOK, "9 codes left")
	lost.fill("/account/security/codes").goes("/account/security/codes").follow().shows(http.StatusOK, "be shown again")
}

// Five wrong codes end a login; it begins again at the password.
func TestFiveWrongCodes(t *testing.T) {
	t.Parallel()
	h := service(t)
	visit(t, h).signUp("ada@example.com").get("/account/security").enroll(h)
	b := visit(t, h).login(harness.Password).goes("/login/factor").follow()
	for range 4 {
		b.fill("/login/factor", "method=totp", "code=000000").shows(http.StatusUnprocessableEntity)
	}
	b.fill("/login/factor", "method=totp", "code=000000")
	if b.page.status == http.StatusUnprocessableEntity {
		b.fill("/login/factor", "method=totp", "code=000000")
	}
	b.goes("/login").follow().shows(http.StatusOK, "Start again.")
	b.get("/login/factor").goes("/login")
}

func TestCodesByMail(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/security").fill("/account/security/email").shows(http.StatusOK, "Enter the code that we emailed you")
	b.fill("/account/security/email/verify", "code=000000").shows(http.StatusUnprocessableEntity)
	b.fill("/account/security/email/verify", "code="+h.LastMail("ada@example.com").Code()).goes("/account/security/codes")
	next := visit(t, h).login(harness.Password).goes("/login/factor").follow().shows(http.StatusOK, "Send code")
	next.fill("/login/factor/send").goes("/login/factor?method=email&sent=1").follow().shows(http.StatusOK, "Enter the code that we emailed you")
	next.fill("/login/factor", "method=email", "code="+h.LastMail("ada@example.com").Code()).goes("/account")
}

func TestLoginByMailedCode(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.SignUp("ada@example.com")
	b := visit(t, h).get("/login").fill("/login/code", "email=no address").shows(http.StatusUnprocessableEntity)
	b.fill("/login/code", "email=ada@example.com", "password=").goes("/login/code").follow().shows(http.StatusOK, "ada@example.com")
	b.fill("/login/code/verify", "code=000000").shows(http.StatusUnprocessableEntity)
	b.fill("/login/code/verify", "code= "+h.LastMail("ada@example.com").Code()+" ").goes("/account").follow().shows(http.StatusOK)
	visit(t, h).get("/login/code").goes("/login")
}

// If codes are rate limited or disabled, a link is mailed instead.
func TestALinkWhereNoCodeIsMailed(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.SignUp("ada@example.com")
	b := visit(t, h).get("/login").fill("/login/code", "email=ada@example.com").follow()
	for range 4 {
		b.fill("/login/code/verify", "code=000000").shows(http.StatusUnprocessableEntity)
	}
	b.fill("/login/code/verify", "code=000000")
	mailed := func(button string) {
		t.Helper()
		b = visit(t, h).get("/login").shows(http.StatusOK, button)
		b.fill("/login/code", "email=ada@example.com").goes("/login").follow().shows(http.StatusOK, "we emailed it a sign-in link")
		token := h.LastMail("ada@example.com").Token()
		b.get("/login?token="+token).fill("/login/link", "token="+token).goes("/account")
	}
	mailed("Email me a code instead")
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"email_codes": false}}).OK()
	h.Clock.Advance(time.Hour)
	mailed("Email me a link instead")
}

// A mailed link is consumed by a button; a GET, as mail scanners send it, consumes
// nothing.
func TestMailedLinks(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	path := func(link string) string { return strings.TrimPrefix(link, harness.Issuer) }
	verify := path(h.LastMail("ada@example.com").Link())
	if !strings.HasPrefix(verify, "/verify?token=") {
		t.Fatalf("the link of the mail leads to %s", verify)
	}
	b := visit(t, h).get(verify).get(verify).shows(http.StatusOK, "Confirm address")
	b.fill("/verify", "token="+h.LastMail("ada@example.com").Token()).goes("/login").follow().shows(http.StatusOK, "Your address is confirmed.")
	if !ada.Do("USER.ME", nil).OK().Bool("email_verified") {
		t.Error("the address is not verified")
	}
	b.get(verify).shows(http.StatusOK, "no longer valid")

	h.Anonymous().Do("AUTH.PASSWORDLESS_START", harness.P{"email": "ada@example.com", "method": "link"}).OK()
	login, token := path(h.LastMail("ada@example.com").Link()), h.LastMail("ada@example.com").Token()
	if !strings.HasPrefix(login, "/login?token=") {
		t.Fatalf("the link of the mail leads to %s", login)
	}
	b.get(login).get(login).shows(http.StatusOK, "Continue").fill("/login/link", "token="+token).goes("/account").follow().shows(http.StatusOK)
	visit(t, h).get("/login").fill("/login/link", "token="+token).shows(http.StatusUnprocessableEntity)
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	h := service(t)
	before := visit(t, h).signUp("ada@example.com")
	b := visit(t, h).get("/recover").fill("/recover", "email=ada@example.com").goes("/recover/sent").follow().shows(http.StatusOK, "ada@example.com")
	letter := h.LastMail("ada@example.com")
	b.get(strings.TrimPrefix(letter.Link(), harness.Issuer)).shows(http.StatusOK, "Choose a new password")
	b.fill("/recover/password", "token="+letter.Token(), "password=password").shows(http.StatusUnprocessableEntity, "Choose a new password")
	if !strings.Contains(b.page.body, `id="password-error"`) {
		t.Errorf("the complaint does not stand beside its field: %s", b.page.body)
	}
	b.fill("/recover/password", "token="+letter.Token(), "password=an entirely new phrase").goes("/login").follow().shows(http.StatusOK, "Your password was changed")
	before.get("/account").goes("/login?return_to=%2Faccount")
	b.login(harness.Password).shows(http.StatusUnprocessableEntity)
	b.login("an entirely new phrase").goes("/account")
	visit(t, h).get("/recover?token="+letter.Token()).shows(http.StatusOK, "no longer valid")
	visit(t, h).get("/recover/sent").goes("/recover")
}

func TestTemporaryPassword(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	h.Superadmin().Do("USER.SET_PASSWORD", harness.P{"user_id": ada.UserID, "password": "a temporary phrase", "temporary": true}).OK()
	b := visit(t, h).login("a temporary phrase").goes("/login/required").follow().shows(http.StatusOK, "Choose a new password to continue.")
	b.get("/account").goes("/login/required")
	b.get("/account/keys/new").goes("/login/required")
	b.get("/login/required").fill("/login/required/password", "current_password=wrong", "new_password=an entirely new phrase").shows(http.StatusUnprocessableEntity)
	b.fill("/login/required/password", "current_password=a temporary phrase", "new_password=an entirely new phrase").goes("/login").follow().shows(http.StatusOK, "Sign in again.")
	b.login("an entirely new phrase").goes("/account")
}

func TestRequiredSecondStep(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", harness.P{"user_id": ada.UserID, "actions": []string{"enroll_mfa"}}).OK()
	b := visit(t, h).login(harness.Password).goes("/login/required").follow().shows(http.StatusOK, "Use an authenticator app")
	secret, _ := b.enroll(h)
	b.lacks("Sign out")
	b.get("/account").goes("/login?return_to=%2Faccount")
	h.Clock.Advance(time.Minute)
	b.login(harness.Password).goes("/login/factor").follow().fill("/login/factor", "method=totp", "code="+code(t, h, secret)).goes("/account")
}

func TestRequiredVerification(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", harness.P{"user_id": ada.UserID, "actions": []string{"verify_email"}}).OK()
	b := visit(t, h).login(harness.Password).goes("/login/required").follow().shows(http.StatusOK, "ada@example.com", "Resend email")
	b.fill("/login/required/verification").goes("/login/required").follow().shows(http.StatusOK, "We sent the email again.")
	letter := h.LastMail("ada@example.com")
	b.get(strings.TrimPrefix(letter.Link(), harness.Issuer)).fill("/verify", "token="+letter.Token()).goes("/login").follow().shows(http.StatusOK, "Sign in again.")
	b.login(harness.Password).goes("/account")
}

// Sensitive actions require a recent login.
func TestConfirmPresence(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(20 * time.Minute)
	b.get("/account/security").fill("/account/security/totp").goes("/account/confirm?return_to=%2Faccount%2Fsecurity").follow().shows(http.StatusOK, "confirm that it")
	b.fill("/account/confirm", "password=wrong wrong").shows(http.StatusUnprocessableEntity)
	b.fill("/account/confirm").shows(http.StatusUnprocessableEntity)
	b.fill("/account/confirm", "password="+harness.Password).goes("/account/security").follow().shows(http.StatusOK)
	secret, _ := b.enroll(h)
	h.Clock.Advance(20 * time.Minute)
	b.get("/account/confirm?return_to=%2Faccount%2Fsecurity").fill("/account/confirm", "password="+harness.Password).goes("/login/factor").follow().shows(http.StatusOK).lacks("ask again in this browser")
	b.fill("/login/factor", "method=totp", "code="+code(t, h, secret)).goes("/account/security").follow().shows(http.StatusOK)
	b.fill("/account/security/codes").goes("/account/security/codes")
}

// A form whose command requires a recent login is not shown before the confirmation;
// one submitted late leads to the confirmation and back.
func TestFormsThatNeedPresence(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	forms := map[string][]string{
		"/account/keys/new":          {"name=k"},
		"/account/profile/email":     {"new_email=new@example.com", "password=" + harness.Password},
		"/account/profile/delete":    {"password=" + harness.Password},
		"/account/security/password": {"current_password=" + harness.Password, "new_password=an entirely new phrase"},
	}
	for page := range forms {
		b.get(page).shows(http.StatusOK)
	}
	h.Clock.Advance(16 * time.Minute)
	for page, fields := range forms {
		confirm := "/account/confirm?return_to=" + url.QueryEscape(page)
		b.copied().fill(page, fields...).goes(confirm)
		b.copied().get(page).goes(confirm)
	}
	b.get("/account/keys/new").follow().fill("/account/confirm", "password="+harness.Password).goes("/account/keys/new").follow().shows(http.StatusOK)
	b.fill("/account/keys/new", "name=k").goes("/account/keys")
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	h := service(t)
	b, other := visit(t, h).signUp("ada@example.com"), visit(t, h)
	other.login(harness.Password).goes("/account")
	b.get("/account/security/password").fill("/account/security/password", "current_password=wrong", "new_password=an entirely new phrase").shows(http.StatusUnprocessableEntity)
	b.fill("/account/security/password", "current_password="+harness.Password, "new_password=an entirely new phrase").goes("/account/security").follow().shows(http.StatusOK, "Your password was changed.")
	other.get("/account").goes("/login?return_to=%2Faccount")
}

func TestChangeAddress(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account").fill("/account/profile/verification").goes("/account").follow().shows(http.StatusOK, "We sent an email to ada@example.com.")
	b.get("/account/profile/email").fill("/account/profile/email", "new_email=lovelace@example.com", "password=wrong").shows(http.StatusUnprocessableEntity, "lovelace@example.com")
	b.fill("/account/profile/email", "new_email=lovelace@example.com", "password="+harness.Password).goes("/account").follow().shows(http.StatusOK, "We sent an email to lovelace@example.com.", "ada@example.com")
	letter := h.LastMail("lovelace@example.com")
	b.get(strings.TrimPrefix(letter.Link(), harness.Issuer)).fill("/verify", "token="+letter.Token()).follow().shows(http.StatusOK, "Your address is confirmed.")
	b.get("/account").shows(http.StatusOK, "lovelace@example.com", "Confirmed")
}

func TestNotices(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/keys/new").fill("/account/keys/new", "name=backup").goes("/account/keys")
	b.get("/account/notices").shows(http.StatusOK, "An API key was created", "New").fill("/account/notices/read").goes("/account/notices").follow().lacks(`<span class="tag">New`)
	b.get("/account/notices/mail").shows(http.StatusOK, "Your password was changed", "Always sent")
	b.fill("/account/notices/mail", "mail=new_device").goes("/account/notices").follow().shows(http.StatusOK, "Saved.")
	b.get("/account/notices/mail")
	for kind, on := range map[string]bool{"new_device": true, "device_trusted": false, "password_changed": false} {
		if got := strings.Contains(b.page.body, `value="`+kind+`" checked`); got != on {
			t.Errorf("%s by mail: %v", kind, got)
		}
	}
}

// The passkey endpoints return WebAuthn options, or an error message for people.
func TestPasskeyOptions(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).get("/login")
	reply := func() (said struct {
		Options map[string]any `json:"options"`
		ID      string         `json:"challenge_id"`
		Message string         `json:"message"`
		Go      string         `json:"go"`
	},
	) {
		if kind := b.page.header.Get("Content-Type"); kind != "application/json" {
			t.Fatalf("answered %q: %s", kind, b.page.body)
		}
		if err := json.Unmarshal([]byte(b.page.body), &said); err != nil {
			t.Fatal(err)
		}
		return said
	}
	token := b.token()
	b.fill("/login/passkey/options")
	if said := reply(); b.page.status != http.StatusOK || said.Options == nil || said.ID == "" {
		t.Errorf("options = %d %s", b.page.status, b.page.body)
	}
	again := func(path string, fields ...string) {
		form := url.Values{"csrf": {token}}
		for _, field := range fields {
			name, value, _ := strings.Cut(field, "=")
			form.Set(name, value)
		}
		b.send(http.MethodPost, path, form)
	}
	again("/signup/passkey/options", "email=no address", "display_name=Ada")
	if said := reply(); b.page.status != http.StatusUnprocessableEntity || said.Message == "" {
		t.Errorf("refused options = %d %s", b.page.status, b.page.body)
	}
	again("/login/passkey", "credential={}")
	b.shows(http.StatusUnprocessableEntity, "Sign in")
	again("/login/passkey", "credential=no JSON")
	b.shows(http.StatusUnprocessableEntity, "Sign in")
	again("/signup/passkey", "credential={}", "challenge_id=none")
	b.shows(http.StatusUnprocessableEntity, "Create your account")

	b = visit(t, h).signUp("ada@example.com")
	token = b.token()
	again("/account/security/passkeys/options")
	if said := reply(); said.Options == nil {
		t.Errorf("options = %d %s", b.page.status, b.page.body)
	}
	again("/account/security/passkeys", "credential={}")
	b.shows(http.StatusUnprocessableEntity, "Security")
	// The token is renewed on the way, and presence asked for.
	h.Clock.Advance(20 * time.Minute)
	again("/account/security/passkeys/options")
	if said := reply(); said.Go != "/account/confirm?return_to=%2Faccount%2Fsecurity" {
		t.Errorf("options without presence = %d %s", b.page.status, b.page.body)
	}
}
