package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/test/harness"
)

// Recovery codes contain letters, so their fields do not ask for a numeric keyboard.
func TestKeyboardsHaveWhatCodesNeed(t *testing.T) {
	t.Parallel()
	h := service(t)
	visit(t, h).signUp("ada@example.com").get("/account/security").enroll(h)
	b := visit(t, h).login(harness.Password).goes("/login/factor").follow()
	for method, digits := range map[string]bool{"totp": true, "recovery_code": false, "bypass": false} {
		tab := b.copied()
		if method != "totp" {
			tab.click("/login/factor?method=" + method).shows(http.StatusOK)
		}
		if got := strings.Contains(tab.page.body, `inputmode="numeric"`); got != digits {
			t.Errorf("%s is typed with digits alone: %v", method, got)
		}
	}
}

// Fields for names set the text direction automatically.
func TestNamesRunTheirOwnWay(t *testing.T) {
	t.Parallel()
	b := visit(t, service(t)).get("/signup")
	if !strings.Contains(b.page.body, `name="display_name" type="text" dir="auto"`) {
		t.Errorf("the name does not run its own way: %s", b.page.body)
	}
}

// Submitting an enrollment twice shows that it has expired, without command names.
func TestEnrolledTwice(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/security").fill("/account/security/totp")
	address, err := url.Parse(b.found(otpauthLink))
	if err != nil {
		t.Fatal(err)
	}
	sent := []string{"setup=" + b.found(setupField), "code=" + code(t, h, address.Query().Get("secret"))}
	late := b.copied()
	b.fill("/account/security/totp/verify", sent...).goes("/account/security/codes")
	late.fill("/account/security/totp/verify", sent...).goes("/account/security").follow().shows(http.StatusOK, "already completed", "Authenticator app")
}

// Without a token, the page has no button to confirm.
func TestLinkWithoutToken(t *testing.T) {
	t.Parallel()
	b := visit(t, service(t))
	for _, page := range []string{"/verify", "/verify?token=", "/verify?token=" + strings.Repeat("x", 300), "/login?token=" + strings.Repeat("x", 300)} {
		b.get(page).shows(http.StatusOK, "no longer valid").lacks(`method="post"`)
	}
}

// After an expired form, the page links to one that exists.
func TestExpiredFormLeadsBack(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	for form, page := range map[string]string{
		"/login/passkey": "/login", "/login/link": "/login", "/signup/passkey": "/signup", "/recover/password": "/recover",
		"/login/code/verify": "/login/code", "/account/profile/name": "/account/profile/name", "/account/keys/new": "/account/keys/new",
		"/account/security/totp/verify": "/account/security", "/account/sessions/devices/revoke": "/account/sessions",
	} {
		b.send(http.MethodPost, form, url.Values{"csrf": {"of yesterday"}}).shows(http.StatusForbidden, "expired")
		if !strings.Contains(b.page.body, `<a class="button" href="`+page+`">Back</a>`) {
			t.Errorf("no way from %s back to %s: %s", form, page, b.page.body)
		}
		if b.get(page); b.page.status >= http.StatusBadRequest {
			t.Errorf("%s answers %d", page, b.page.status)
		}
	}
}
