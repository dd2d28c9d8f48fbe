package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// share copies the cookies of a tab to another one of the same browser, and returns that.
func (b *browser) share(other *browser) *browser {
	other.cookies = map[string]string{}
	for name, value := range b.cookies {
		other.cookies[name] = value
	}
	return other
}

// tabs returns two tabs of one browser that wait at the login page for different requests
// of the application.
func tabs(t *testing.T, h *harness.Service, asked string) (one, two *browser) {
	t.Helper()
	one = visit(t, h).get(strings.Replace(asked, "state=xyz", "state=one", 1)).follow()
	two = one.copied().get(strings.Replace(asked, "state=xyz", "state=two", 1)).follow()
	two.share(one)
	return one, two
}

// arrives fails the test unless the application gets a code for a request, after consent
// where it is due.
func (b *browser) arrives(state string) {
	b.t.Helper()
	b.follow()
	if b.page.status == http.StatusOK {
		b.fill("/account/consent", "request_id="+b.request(), "approve=true")
	}
	if got := b.returned(); got.Get("state") != state || got.Get("code") == "" {
		b.t.Errorf("the application gets %v, want a code for the state %s", got, state)
	}
}

// request returns the identifier of the request on the consent page.
func (b *browser) request() string {
	_, id, _ := strings.Cut(b.page.body, `name="request_id" value="`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// Each tab continues its own authorization request, whichever signs in first, and even if the
// browser sends no headers that vouch for the form.
func TestTabsContinueTheirOwnRequests(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	h.SignUp("ada@example.com")
	password := []string{"email=ada@example.com", "password=" + harness.Password}

	one, two := tabs(t, h, asked)
	one.fill("/login", password...).arrives("one")
	one.share(two).fill("/login", password...).arrives("two")

	one, two = tabs(t, h, asked)
	two.fill("/login", password...).arrives("two")
	two.share(one).get("/login?pending=" + url.QueryEscape(pendingField.FindStringSubmatch(one.page.body)[1]))
	one.arrives("one") // by a reload
}

// Second factors and mailed codes of two tabs do not mix.
func TestTabsHaveTheirOwnSteps(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	ada := visit(t, h).signUp("ada@example.com")
	secret, _ := ada.get("/account/security").enroll(h)
	password := []string{"email=ada@example.com", "password=" + harness.Password}
	h.Clock.Advance(time.Minute)
	one, two := tabs(t, h, asked)
	one.fill("/login", password...).goes("/login/factor").follow()
	one.share(two).fill("/login", password...).goes("/login/factor").follow()
	two.share(one).fill("/login/factor", "method=totp", "code="+code(t, h, secret)).arrives("one")
	h.Clock.Advance(time.Minute)
	one.share(two).fill("/login/factor", "method=totp", "code="+code(t, h, secret)).arrives("two")

	h.SignUp("grace@example.com")
	h.SignUp("eve@example.com")
	one, two = tabs(t, h, asked)
	one.fill("/login/code", "email=grace@example.com").goes("/login/code").follow().shows(http.StatusOK, "grace@example.com")
	one.share(two).fill("/login/code", "email=eve@example.com").goes("/login/code").follow().shows(http.StatusOK, "eve@example.com")
	two.share(one).fill("/login/code/verify", "code="+h.LastMail("grace@example.com").Code()).arrives("one")
	one.share(two).fill("/login/code/verify", "code="+h.LastMail("eve@example.com").Code()).arrives("two")
}

// A page to sign in works after its browser has lost all cookies, if the browser vouches for
// the form.
func TestLostCookies(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	ada := visit(t, h).signUp("ada@example.com")
	secret, _ := ada.get("/account/security").enroll(h)
	h.Clock.Advance(time.Minute)
	lose := func(b *browser) *browser { b.cookies = map[string]string{}; return b }
	for name, vouch := range map[string][2]string{"fetch metadata": {"Sec-Fetch-Site", "same-origin"}, "origin": {"Origin", "http://example.com"}} {
		b := visit(t, h)
		b.header.Set(vouch[0], vouch[1])
		h.Clock.Advance(time.Minute)
		b.get(asked).goes("/login").follow()
		lose(b).fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/login/factor").follow()
		lose(b).fill("/login/factor", "method=totp", "code="+code(t, h, secret)).arrives("xyz")
		if t.Failed() {
			t.Fatalf("with %s", name)
		}
	}
	b := visit(t, h)
	b.header.Set("Sec-Fetch-Site", "same-origin")
	answer := func() {
		h.Clock.Advance(time.Minute)
		b.fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/login/factor").follow()
		b.fill("/login/factor", "method=totp", "code="+code(t, h, secret)).follow().shows(http.StatusOK, "Know who you are")
	}
	b.get(asked + "&prompt=consent").follow()
	answer()
	lose(b).fill("/account/consent", "request_id="+b.request(), "approve=true").goes("/login").follow()
	answer()
	if b.fill("/account/consent", "request_id="+b.request(), "approve=true"); b.returned().Get("code") == "" {
		t.Error("no code")
	}
	device := h.Anonymous().Do("OAUTH.DEVICE_START", harness.P{"client_id": deviceClient(h)}).OK().String("user_code")
	b = visit(t, h).signUp("eve@example.com")
	b.header.Set("Sec-Fetch-Site", "same-origin")
	b.get("/device").fill("/device", "user_code="+device).shows(http.StatusOK, "Allow this only if")
	lose(b).fill("/device/decide", "user_code="+device, "approve=true").goes("/login").follow()
	b.fill("/login", "email=eve@example.com", "password="+harness.Password).follow().shows(http.StatusOK, device)
}

// deviceClient registers an application for the device grant, and returns its client ID.
func deviceClient(h *harness.Service) string {
	h.Superadmin().Do("APP.REGISTER", harness.P{"name": "TV", "slug": "tv", "type": "native", "redirect_urls": []string{"http://127.0.0.1/"}, "grant_types": []string{"authorization_code", "device_code"}}).OK()
	return "tv"
}

// A pending sign-in from another browser leads to the same errand, but does not continue the
// login that began there; one that was altered counts as missing.
func TestPendingSignInsOfOthers(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	eve := visit(t, h).signUp("eve@example.com")
	secret, _ := eve.get("/account/security").enroll(h)
	h.Clock.Advance(time.Minute)
	eve = visit(t, h).get(asked).follow().fill("/login", "email=eve@example.com", "password="+harness.Password).goes("/login/factor")
	lure := eve.page.to
	ada := visit(t, h)
	ada.get(lure).goes("/login").follow().shows(http.StatusOK, "Sign in")
	ada.header.Set("Sec-Fetch-Site", "cross-site")
	form := url.Values{"csrf": {ada.token()}, "method": {"totp"}, "code": {code(t, h, secret)}, "pending": {mustQuery(t, lure).Get("pending")}}
	ada.send(http.MethodPost, "/login/factor", form).shows(http.StatusForbidden)
	if got := ada.cookies["gatehouse"]; got != "" {
		t.Error("another site signed somebody in")
	}
	visit(t, h).get(lure[:len(lure)-4] + "AAAA").goes("/login")

	victim := visit(t, h).signUp("ada@example.com")
	eve = visit(t, h).get("/login")
	h.Clock.Advance(time.Minute)
	eve.fill("/login", "email=eve@example.com", "password="+harness.Password).follow().fill("/login/factor", "method=totp", "code="+code(t, h, secret))
	eve.get(asked).shows(http.StatusOK, "Know who you are")
	victim.get("/account").fill("/account/consent", "request_id="+eve.request(), "approve=true").shows(http.StatusBadRequest, "it got no access")
}

func mustQuery(t *testing.T, address string) url.Values {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query()
}

// A login at a provider returns to the request of its tab.
func TestTabsAtProviders(t *testing.T) {
	t.Parallel()
	provider := upstream.Start(t, upstream.GitHub)
	h := service(t, provider.Environment()...)
	one, two := tabs(t, h, wiki(h))
	for _, b := range []*browser{one, two} {
		b.header.Set("Sec-Fetch-Site", "same-origin")
	}
	link := func(b *browser) string {
		return "/login/social/github?pending=" + url.QueryEscape(pendingField.FindStringSubmatch(b.page.body)[1])
	}
	first, second := link(one), link(two)
	one.get(first)
	one.share(two).through(h, provider, second).arrives("two")
	two.share(one).through(h, provider, first).arrives("one")
}

// Mailed links open in another tab and continue the request that asked for the mail.
func TestMailedLinksContinueTheRequest(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	h.SignUp("ada@example.com")
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"email_codes": false}}).OK()
	b := visit(t, h).get(asked).follow().fill("/login/code", "email=ada@example.com").goes("/login")
	mail := h.LastMail("ada@example.com")
	b.get(strings.TrimPrefix(mail.Link(), harness.Issuer)).fill("/login/link", "token="+mail.Token()).arrives("xyz")
	b.get("/account").fill("/logout").goes("/login")
	b.get(asked).follow().click("/recover").fill("/recover", "email=ada@example.com").follow()
	mail = h.LastMail("ada@example.com")
	b.get(strings.TrimPrefix(mail.Link(), harness.Issuer)).fill("/recover/password", "token="+mail.Token(), "password="+harness.Password+"2").follow()
	b.fill("/login", "email=ada@example.com", "password="+harness.Password+"2").arrives("xyz")
}

// A page to sign in that was left open continues the request; a consent page asks again.
func TestPagesLeftOpen(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	h.SignUp("ada@example.com")
	b := visit(t, h).get(asked).follow()
	h.Clock.Advance(5 * time.Hour)
	b.fill("/login", "email=ada@example.com", "password="+harness.Password).follow().shows(http.StatusOK, "Know who you are")
	h.Clock.Advance(31 * time.Minute)
	b.fill("/account/consent", "request_id="+b.request(), "approve=true")
	if b.page.to == "" || !strings.HasPrefix(b.page.to, "/oauth/authorize?") {
		t.Fatalf("the answer is %d to %q", b.page.status, b.page.to)
	}
	b.follow().shows(http.StatusOK, "Know who you are")
	b.fill("/account/consent", "request_id="+b.request(), "approve=true")
	if got := b.returned(); got.Get("code") == "" || got.Get("state") != "xyz" {
		t.Errorf("the answer: %v", got)
	}
}
