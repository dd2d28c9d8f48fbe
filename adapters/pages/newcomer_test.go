package pages_test

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

var offeredScope = regexp.MustCompile(`name="scopes" value="([^"]+)"`)

// API keys are offered exactly the permissions of commands that accept API keys.
func TestKeysAreOfferedWhatOpensSomething(t *testing.T) {
	t.Parallel()
	h := service(t)
	opening := map[string]bool{}
	for _, d := range h.Engine.Catalog() {
		if name, is := strings.CutPrefix(d.Access, "permission:"); is && slices.Contains(d.Callers, "api_key") {
			opening[name] = true
		}
	}
	b := visit(t, h).signUp("ada@example.com").get("/account/keys/new").shows(http.StatusOK)
	offered := offeredScope.FindAllStringSubmatch(b.page.body, -1)
	if len(offered) == 0 {
		t.Fatalf("nothing is offered: %s", b.page.body)
	}
	for _, one := range offered {
		if !opening[one[1]] {
			t.Errorf("%s is offered, and opens nothing", one[1])
		}
		delete(opening, one[1])
	}
	for left := range opening {
		if left != "users:manage" && left != "sessions:manage" {
			t.Errorf("%s is not offered", left)
		}
	}
}

// passwordless signs in by code to an account without a password.
func passwordless(t *testing.T, h *harness.Service, address string) *browser {
	t.Helper()
	root := h.Superadmin()
	made := root.Do("USER.CREATE", harness.P{"email": address, "display_name": "Grace"}).OK().String("user.id")
	ticket := root.Do("USER.TICKET_CREATE", harness.P{"user_id": made, "purpose": "login"}).OK().String("token")
	b := visit(t, h).get("/login?token=" + ticket)
	return b.fill("/login/link", "token="+ticket).goes("/account").follow()
}

// A password is asked for only if the account has one.
func TestPasswordsAreAskedForWhereThereAreAny(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada, grace := visit(t, h).signUp("ada@example.com"), passwordless(t, h, "grace@example.com")
	for _, page := range []string{"/account/profile/delete", "/account/profile/email", "/account/confirm"} {
		ada.get(page).shows(http.StatusOK).lacks("optional")
		if !regexp.MustCompile(`name="password" type="password"[^>]* required`).MatchString(ada.page.body) {
			t.Errorf("%s does not ask for the password: %s", page, ada.page.body)
		}
		grace.get(page).shows(http.StatusOK).lacks(`type="password"`, "optional")
	}
	ada.get("/account/security/password").shows(http.StatusOK, "Current password")
	grace.get("/account/security/password").shows(http.StatusOK, "no password yet").lacks("Current password")
	h.Clock.Advance(20 * time.Minute)
	grace.get("/account/profile/delete").goes("/account/confirm?return_to=%2Faccount%2Fprofile%2Fdelete").follow()
	grace.shows(http.StatusOK, "Your account has no password").fill("/account/confirm").goes("/login/factor")
}

// Destructive actions ask for confirmation, and the page that asks changes nothing.
func TestRemovalAsksFirst(t *testing.T) {
	t.Parallel()
	provider := upstream.Start(t, upstream.GitHub)
	provider.Be(upstream.Person{ID: "815", Email: "other@example.net", Verified: true, Name: "Ada"})
	h := service(t, provider.Environment()...)
	b := visit(t, h).signUp("ada@example.com")
	b.header.Set("Sec-Fetch-Site", "same-origin")
	b.through(h, provider, "/account/connections/github/link").goes("/account/connections")
	b.get("/account/keys/new").fill("/account/keys/new", "name=backup").goes("/account/keys")
	secret, _ := b.get("/account/security").enroll(h)
	h.Clock.Advance(harness.Step)
	ada := h.LoginBy("ada@example.com", harness.NewApp(t, secret, h.Clock))
	device := h.Authenticator()
	begun := ada.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK()
	ada.Do("WEBAUTHN.REGISTER_VERIFY", harness.P{"credential": device.Create(begun.Data["options"].(harness.P)), "name": "Laptop"}).OK()

	for _, c := range []struct{ page, link, asks, name, action, button, done string }{
		{"/account/security", `/account/security/factors/[^/"]+/remove`, "Remove this second factor?", "Authenticator app", "/account/security/factors/remove", "Remove", "The second factor was removed."},
		{"/account/security", `/account/security/passkeys/[^/"]+/remove`, "Remove this passkey?", "Laptop", "/account/security/passkeys/revoke", "Remove", "The passkey was removed."},
		{"/account/keys", `/account/keys/[^/"]+/revoke`, "Revoke this API key?", "backup", "/account/keys/revoke", "Revoke", "The API key was revoked and no longer works."},
		{"/account/connections", `/account/connections/[^/"]+/unlink`, "Unlink this account?", "GitHub, other@example.net", "/account/connections/unlink", "Unlink", "The account was unlinked."},
	} {
		b.get(c.page).shows(http.StatusOK).lacks(`action="` + c.action + `"`)
		link := b.found(regexp.MustCompile(`href="(` + c.link + `)"`))
		b.get(link).shows(http.StatusOK, c.asks, c.name, c.button, "Cancel")
		field := regexp.MustCompile(`type="hidden" name="(id|provider)" value="([^"]+)"`).FindStringSubmatch(b.page.body)
		b.get(c.page)
		if got := b.found(regexp.MustCompile(`href="(` + c.link + `)"`)); got != link {
			t.Errorf("asking changed %s", c.page)
		}
		b.get(link).fill(c.action, field[1]+"="+field[2]).goes(c.page).follow().shows(http.StatusOK, c.done).lacks(`href="` + link)
		b.get(link).shows(http.StatusNotFound, "Page not found")
	}
	stranger := visit(t, h).signUp("eve@example.com")
	key := ada.Do("API_KEY.CREATE", harness.P{"name": "hers", "scopes": []string{}}).OK().String("api_key.id")
	stranger.get("/account/keys/" + key + "/revoke").shows(http.StatusNotFound)
}

// A recent login is required before the confirmation, not after it.
func TestRemovalAsksForPresence(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(20 * time.Minute)
	const question = "/account/security/codes/new"
	b.get(question).goes("/account/confirm?return_to=" + url.QueryEscape(question)).follow()
	b.fill("/account/confirm", "password="+harness.Password).goes(question).follow().shows(http.StatusOK, "Create new recovery codes?")
}

var (
	downloaded = regexp.MustCompile(`download="([^"]+)" href="data:text/plain;charset=utf-8;base64,([^"]+)"`)
	printedFor = regexp.MustCompile(`<p class="printed">([^<]+)</p>`)
)

// Secrets that are shown once can be downloaded; the file is contained in the page.
func TestSecretsCanBeKept(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.Superadmin().Do("BRANDING.SET", harness.P{"name": "Acme"}).OK()
	b := visit(t, h).signUp("ada@example.com")
	kept := func(name string) string {
		t.Helper()
		found := downloaded.FindStringSubmatch(b.page.body)
		if found == nil || found[1] != name {
			t.Fatalf("no file %s: %s", name, b.page.body)
		}
		text, err := base64.StdEncoding.DecodeString(html.UnescapeString(found[2]))
		if err != nil {
			t.Fatal(err)
		}
		if whose := b.found(printedFor); !strings.HasPrefix(string(text), whose) || !strings.Contains(whose, "of ada@example.com at Acme ("+harness.Issuer+")") {
			t.Errorf("the file says %q, the page %q", text, whose)
		}
		for _, part := range []string{"data-copy", "data-print"} {
			if !strings.Contains(b.page.body, part) {
				t.Errorf("there is no %s", part)
			}
		}
		return string(text)
	}
	b.get("/account/keys/new").fill("/account/keys/new", "name=Nightly <backup>").goes("/account/keys").follow().shows(http.StatusOK)
	key := b.found(regexp.MustCompile(`id="made">([^<]+)<`))
	if file := kept("api-key.txt"); !strings.Contains(file, "\n"+key+"\n") || !strings.Contains(file, "Nightly <backup>") {
		t.Errorf("the file is %q", file)
	}
	b.get("/account/security").enroll(h)
	file := kept("recovery-codes.txt")
	codes := shownCode.FindAllStringSubmatch(b.page.body, -1)
	for _, code := range codes {
		if !strings.Contains(file, "\n"+code[1]+"\n") {
			t.Errorf("the file lacks %s: %q", code[1], file)
		}
	}
	if len(codes) != 10 {
		t.Errorf("%d codes are shown", len(codes))
	}
}

// The header shows the signed-in person, and is updated when this changes.
func TestHeaderSaysWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	header := func() string {
		_, rest, _ := strings.Cut(b.page.body, "<header>")
		text, _, _ := strings.Cut(rest, "</header>")
		return text
	}
	says := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(header(), text) {
				t.Errorf("the header lacks %q: %s", text, header())
			}
		}
	}
	for _, page := range []string{"/account", "/account/security", "/account/sessions", "/account/nowhere"} {
		b.get(page)
		says("Signed in as", "<strong>Ada</strong>", "ada@example.com · Personal workspace")
	}
	b.get("/account/profile/name").fill("/account/profile/name", "display_name=Grace").goes("/account").follow()
	says("<strong>Grace</strong>")
	h.Login("ada@example.com", harness.Password).Do("USER.UPDATE", harness.P{"display_name": "Countess of <Lovelace>"}).OK()
	b.get("/account")
	says("<strong>Countess of &lt;Lovelace&gt;</strong>")
	h.Clock.Advance(20 * time.Minute)
	b.get("/account/sessions").shows(http.StatusOK)
	says("Countess of")
	b.fill("/logout").goes("/login").follow().lacks("Countess", "Signed in as")
}

// After a login by a recovery code, the number of remaining codes is shown.
func TestRecoveryCodesAreCounted(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/security").enroll(h)
	codes := shownCode.FindAllStringSubmatch(b.page.body, -1)
	for left := 9; left >= 2; left-- {
		h.Clock.Advance(time.Minute)
		next := visit(t, h).login(harness.Password).goes("/login/factor").follow()
		next.click("/login/factor?method=recovery_code").fill("/login/factor", "method=recovery_code", "code="+codes[left][1]).goes("/account")
		next.follow().shows(http.StatusOK, "You used a recovery code. "+itoa(uint32(left))+" codes are left.")
		if few := strings.Contains(next.page.body, "Create new ones"); few != (left <= 3) {
			t.Errorf("with %d left, new ones are asked for: %v", left, few)
		}
		next.get("/account/security").shows(http.StatusOK, itoa(uint32(left))+" codes left")
		if few := strings.Contains(next.page.body, "Few left"); few != (left <= 3) {
			t.Errorf("with %d left, they are few: %v", left, few)
		}
	}
}

// The strength endpoint rates a password for the script.
func TestStrengthOfPasswords(t *testing.T) {
	t.Parallel()
	const path = "/recover/password/strength"
	h := service(t)
	b := visit(t, h).get("/signup").shows(http.StatusOK)
	if !strings.Contains(b.page.body, `data-strength="password" data-ask="`+path+`"`) || !strings.Contains(b.page.body, `data-reveal="password"`) {
		t.Errorf("the page shows neither password nor strength: %s", b.page.body)
	}
	token := b.token()
	ask := func(fields ...string) string {
		form := url.Values{"csrf": {token}}
		for _, field := range fields {
			name, value, _ := strings.Cut(field, "=")
			form.Set(name, value)
		}
		return b.send(http.MethodPost, path, form).page.body
	}
	for password, want := range map[string]string{
		"password":               `"words":"Among the most common passwords.","taken":false}`,
		"x":                      `"words":"Too short.","taken":false}`,
		"vV9~uhg7!pQ zebra lamp": `{"level":4,"words":"Strong","taken":true}`,
	} {
		if got := ask("password=" + password); !strings.HasSuffix(got, want) || b.page.status != http.StatusOK {
			t.Errorf("%s is judged %s", password, got)
		}
	}
	if got := ask("password=zoe.quinnley@example.com", "email=zoe.quinnley@example.com"); !strings.Contains(got, "your own email address") && !strings.Contains(got, "Your own email address") {
		t.Errorf("the own address is judged %s", got)
	}
	if ask("password="); b.page.status != http.StatusUnprocessableEntity {
		t.Errorf("nothing is judged: %d %s", b.page.status, b.page.body)
	}
	b.send(http.MethodPost, path, url.Values{"csrf": {"forged"}, "password": {"x"}}).shows(http.StatusForbidden)
}
