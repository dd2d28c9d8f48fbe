package pages_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

func TestPagesNeedASession(t *testing.T) {
	t.Parallel()
	h := service(t)
	for _, pattern := range pages.Patterns(true) {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{provider}", "google", "{id}", "pky_1").Replace(path)
		b := visit(t, h).get("/login")
		if method == http.MethodPost {
			b.fill(path)
		} else {
			b.get(path)
		}
		own := strings.HasPrefix(b.page.to, "/login?return_to=%2Faccount") || b.page.to == "/login?return_to=%2Fdevice" || b.page.to == "/login?return_to=%2Fdevice%2Fterminal"
		if b.page.status != http.StatusSeeOther || !own {
			t.Errorf("%s without a session: %d to %q", pattern, b.page.status, b.page.to)
		}
	}
}

// A form is accepted only if a page sent to this browser contained it.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	h := service(t)
	other := visit(t, h).get("/login")
	for _, pattern := range pages.Patterns(false) {
		method, path, _ := strings.Cut(pattern, " ")
		if method != http.MethodPost {
			continue
		}
		b := visit(t, h).get("/login")
		own := b.token()
		for name, forge := range map[string]func(*browser) url.Values{
			"no token":          func(*browser) url.Values { return url.Values{} },
			"an empty token":    func(*browser) url.Values { return url.Values{"csrf": {""}} },
			"another browser's": func(*browser) url.Values { return url.Values{"csrf": {other.token()}} },
			"no cookie":         func(b *browser) url.Values { b.cookies = map[string]string{}; return url.Values{"csrf": {own}} },
			"from another site": func(b *browser) url.Values {
				b.header.Set("Sec-Fetch-Site", "cross-site")
				return url.Values{"csrf": {own}}
			},
			"from a sibling": func(b *browser) url.Values {
				b.header.Set("Sec-Fetch-Site", "same-site")
				return url.Values{"csrf": {own}}
			},
			"from another origin": func(b *browser) url.Values {
				b.header.Set("Origin", "https://evil.example")
				return url.Values{"csrf": {own}}
			},
			"from an opaque origin":  func(b *browser) url.Values { b.header.Set("Origin", "null"); return url.Values{"csrf": {own}} },
			"the token in the query": func(*browser) url.Values { return nil },
		} {
			tab := b.copied()
			tab.header = b.header.Clone()
			target := path
			if name == "the token in the query" {
				target += "?csrf=" + url.QueryEscape(own)
			}
			tab.send(http.MethodPost, target, forge(tab))
			if tab.page.status != http.StatusForbidden {
				t.Errorf("%s with %s: %d", pattern, name, tab.page.status)
			}
		}
	}
	if made := h.Events("user.created"); len(made) > 1 {
		t.Errorf("%d accounts were made", len(made))
	}
}

// A login at a provider starts only by a link of these pages.
func TestForgedLinks(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	for _, path := range []string{"/login/social/google", "/account/connections/google/link"} {
		for _, header := range []http.Header{
			{},
			{"Sec-Fetch-Site": {"cross-site"}},
			{"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": {"none"}},
			{"Referer": {"https://evil.example/login"}},
			{"Referer": {"::"}},
			{"Sec-Fetch-Site": {"cross-site"}, "Referer": {"http://example.com/login"}},
		} {
			tab := b.copied()
			tab.header = header
			tab.get(path).shows(http.StatusForbidden)
		}
	}
	b.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	b.get("/login/social/google").provided("").goes("/login")
	b.get("/login/social/evil").shows(http.StatusNotFound)
	b.header = http.Header{"Referer": {"http://example.com/login"}}
	b.get("/login/social/google").provided("").goes("/login")
}

// Another site can send a browser to a provider and back, but this signs nobody in.
func TestForgedSocialLogin(t *testing.T) {
	t.Parallel()
	provider := upstream.Start(t, upstream.GitHub)
	h := service(t, provider.Environment()...)
	forced := "/api/auth/social/github?redirect_uri=" + url.QueryEscape(harness.Issuer+"/login/social/github/done")
	b := visit(t, h)
	b.through(h, provider, forced).goes("/login").follow().shows(http.StatusOK, "failed or was canceled")
	b.header.Set("Sec-Fetch-Site", "same-origin")
	b.through(h, provider, "/login/social/github").goes("/account").follow().shows(http.StatusOK, "ada@example.com")
	b.through(h, provider, forced).goes("/login")
	if logins := len(h.Events("session.created")); logins != 1 {
		t.Errorf("%d logins, want the one that was begun here", logins)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	for _, path := range []string{"/account", "/account/nowhere", "/login", "/signup", "/recover"} {
		header := b.get(path).page.header
		policy := header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "style-src 'self';", "script-src 'self';", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy lacks %s: %s", path, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: the policy is %s", path, policy)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		b.lacks("<style", " style=", " onclick=", "javascript:")
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).get("/login")
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	seen := 0
	for _, part := range strings.Split(b.page.body, `"`) {
		if !strings.HasPrefix(part, "/assets/") {
			continue
		}
		seen++
		header := b.get(part).shows(http.StatusOK).page.header
		if got, want := header.Get("Content-Type"), kinds[part[strings.LastIndex(part, "."):]]; got != want {
			t.Errorf("%s is of type %q, want %q", part, got, want)
		}
		if got := header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s may be kept %q", part, got)
		}
		if len(b.page.set) != 0 {
			t.Errorf("%s sets cookies", part)
		}
	}
	if seen != 4 {
		t.Errorf("the page loads %d assets", seen)
	}
	for _, path := range []string{"/assets/app.css", "/assets/", "/assets", "/assets/../site.go", "/assets/%2e%2e/site.go"} {
		if status := b.get(path).page.status; status == http.StatusOK {
			t.Errorf("%s answers %d", path, status)
		}
	}
}

func TestReturnTargets(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/account", "/account/keys?cursor=x", "/a/b#c", "/"} {
		if got := pages.Local(target); got != target {
			t.Errorf("Local(%q) = %q", target, got)
		}
	}
	for _, target := range []string{
		"", "account", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "http:evil.example",
		"javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "/\x00", "/%zz", "/" + strings.Repeat("a", 600),
	} {
		if got := pages.Local(target); got != "" {
			t.Errorf("Local(%q) = %q, want nothing", target, got)
		}
	}
	h := service(t)
	h.SignUp("ada@example.com")
	b := visit(t, h).get("/login?return_to=%2Faccount%2Fkeys")
	b.fill("/login", "email=ada@example.com", "password=wrong wrong").shows(http.StatusUnprocessableEntity)
	b.fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/account/keys")
	visit(t, h).get("/login?return_to=https%3A%2F%2Fevil.example").fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/account")
	visit(t, h).get("/login?return_to=%2F%2Fevil.example").fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/account")
}

func TestCookies(t *testing.T) {
	t.Parallel()
	plain := visit(t, service(t))
	plain.get("/signup").fill("/signup", "display_name=Ada", "email=ada@example.com", "password="+harness.Password).goes("/account")
	secure := visit(t, service(t, "SERVICE_HOST=https://auth.example.com"))
	secure.get("/signup").fill("/signup", "display_name=Ada", "email=ada@example.com", "password="+harness.Password).goes("/account")
	for prefix, b := range map[string]*browser{"": plain, "__Host-": secure} {
		for _, name := range []string{"gatehouse", "gatehouse-state"} {
			cookie := b.page.set[prefix+name]
			if cookie == nil {
				t.Fatalf("no cookie %s%s: %v", prefix, name, b.page.set)
			}
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.Secure != (prefix != "") {
				t.Errorf("the cookie %s is %+v", cookie.Name, cookie)
			}
			if len(cookie.Value) > 3000 {
				t.Errorf("the cookie %s has %d bytes", cookie.Name, len(cookie.Value))
			}
			sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value[strings.LastIndex(cookie.Value, ":")+1:])
			if shown := string(sealed); err != nil || strings.Contains(shown, "rt_") || strings.Contains(shown, "eyJ") {
				t.Errorf("the cookie %s shows what it holds, %v", cookie.Name, err)
			}
		}
	}
}

// A cookie that was altered, or sealed for another purpose, is ignored.
func TestForgedCookies(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	held := b.cookies["gatehouse"]
	for name, value := range map[string]string{
		"altered": held[:len(held)-8] + "AAAAAAAA", "cut": held[:len(held)/2], "empty": "", "in clear": "{}",
		"the other cookie": b.cookies["gatehouse-state"], "another service's": visit(t, service(t, "JWT_SECRET=9kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U")).signUp("eve@example.com").cookies["gatehouse"],
	} {
		tab := b.copied()
		tab.cookies["gatehouse"] = value
		if tab.get("/account"); tab.page.status != http.StatusSeeOther || !strings.HasPrefix(tab.page.to, "/login") {
			t.Errorf("%s: %d to %q", name, tab.page.status, tab.page.to)
		}
	}
	b.get("/account").shows(http.StatusOK)
}

// A login invalidates the cookies and form tokens from before it.
func TestLoginRenewsTheBrowser(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.SignUp("ada@example.com")
	b := visit(t, h).get("/login")
	before := b.token()
	b.fill("/login", "email=ada@example.com", "password="+harness.Password).follow()
	if b.token() == before {
		t.Error("the token of forms outlives the login")
	}
	b.send(http.MethodPost, "/account/profile/name", url.Values{"csrf": {before}, "display_name": {"Eve"}}).goes("/account/profile/name").
		follow().shows(http.StatusOK, "You signed in again after this page was shown, so nothing was changed.").lacks("Eve")
}

func TestTokensAreRenewed(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(16 * time.Minute)
	late, other := b.copied(), b.copied()
	b.get("/account").shows(http.StatusOK, "ada@example.com")
	if b.page.set["gatehouse"] == nil {
		t.Error("the tokens were not renewed")
	}
	other.get("/account").shows(http.StatusOK)
	b.get("/account").shows(http.StatusOK)
	if b.page.set["gatehouse"] != nil {
		t.Error("tokens that are good were renewed")
	}
	// Reuse of a refresh token after the grace period means that it was stolen.
	h.Clock.Advance(time.Minute)
	late.get("/account").goes("/login?return_to=%2Faccount")
	if late.cookies["gatehouse"] != "" {
		t.Error("the cookie of an ended session stays")
	}
	late.follow().shows(http.StatusOK, "You were signed out")
	b.get("/account").goes("/login?return_to=%2Faccount")
}

// A slow response does not restore tokens that another tab has replaced.
func TestSlowTabPutsNothingBack(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(16 * time.Minute)
	slow := b.copied()
	b.get("/account").shows(http.StatusOK)
	slow.get("/recover").shows(http.StatusOK)
	if slow.page.set["gatehouse"] != nil {
		t.Error("a page that needs no tokens writes them")
	}
}

func TestEndedSession(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Login("ada@example.com", harness.Password).Do("SESSION.REVOKE_ALL", nil).OK()
	b.get("/account/security").goes("/login?return_to=%2Faccount%2Fsecurity")
	if b.cookies["gatehouse"] != "" {
		t.Error("the cookie of an ended session stays")
	}
	b.follow().shows(http.StatusOK, "You were signed out")
	b.fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/account/security")
}

func TestLogoutEndsTheSession(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	stolen := b.copied()
	b.fill("/logout").goes("/login")
	if b.cookies["gatehouse"] != "" {
		t.Error("the cookie stays after logging out")
	}
	b.follow().shows(http.StatusOK, "You are signed out")
	b.get("/login").lacks("You are signed out")
	stolen.get("/account").goes("/login?return_to=%2Faccount")
	b.get("/logout").goes("/login")
}

// Invalid UTF-8 in a form is a client error, whatever the field.
func TestFormsThatAreNoText(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	b.get("/account/profile/name").fill("/account/profile/name", "display_name=\xff").shows(http.StatusBadRequest, "could not be read")
	b.get("/account/profile").shows(http.StatusOK, "Ada")
	stranger := visit(t, h)
	stranger.get("/login").fill("/login", "email=\xff", "password=x").shows(http.StatusBadRequest)
	stranger.get("/verify?token=%ff").shows(http.StatusOK)
	stranger.header.Set("Sec-Fetch-Site", "same-origin")
	stranger.get("/login/social/github").provided("&code=%ff").shows(http.StatusBadRequest)
}
