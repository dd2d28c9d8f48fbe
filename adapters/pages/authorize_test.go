package pages_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

const wikiURL = "https://wiki.example.com/callback"

// wiki registers an application with consent, and returns its authorization request.
func wiki(h *harness.Service) string {
	h.Superadmin().Do("APP.REGISTER", harness.P{"name": "Wiki", "slug": "wiki", "type": "web", "redirect_urls": []string{wikiURL}}).OK()
	return "/oauth/authorize?client_id=wiki&response_type=code&scope=openid+email&state=xyz&redirect_uri=" + url.QueryEscape(wikiURL) +
		"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
}

// returned returns the parameters of the redirect to the application.
func (b *browser) returned() url.Values {
	b.t.Helper()
	to, err := url.Parse(b.page.to)
	if err != nil || b.page.status != http.StatusSeeOther || !strings.HasPrefix(b.page.to, wikiURL+"?") {
		b.t.Fatalf("the answer is %d to %q", b.page.status, b.page.to)
	}
	return to.Query()
}

// An authorization request leads through the login to the consent page, and is not
// asked again afterwards.
func TestAuthorizing(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	visit(t, h).signUp("ada@example.com")
	b := visit(t, h)
	b.get(asked).goes("/login").follow().shows(http.StatusOK)
	if got := b.page.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' https://wiki.example.com;") {
		t.Errorf("the form to log in leads nowhere else: %s", got)
	}
	b.fill("/login", "email=ada@example.com", "password="+harness.Password)
	b.follow().shows(http.StatusOK, "Wiki", "wiki.example.com", "ada@example.com", "See your email address").lacks("See your name")
	if got := b.page.header.Get("Content-Security-Policy"); !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("the page may be framed: %s", got)
	}
	_, id, _ := strings.Cut(b.page.body, `name="request_id" value="`)
	id, _, _ = strings.Cut(id, `"`)
	b.copied().fill("/account/consent", "request_id="+id, "decision=deny")
	b.get(asked).shows(http.StatusOK, "Wiki")
	_, id, _ = strings.Cut(b.page.body, `name="request_id" value="`)
	id, _, _ = strings.Cut(id, `"`)
	b.fill("/account/consent", "request_id="+id, "approve=true")
	if got := b.returned(); got.Get("code") == "" || got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer {
		t.Errorf("the answer: %v", got)
	}
	if b.get(asked); b.returned().Get("code") == "" {
		t.Error("who agreed is asked again")
	}
	b.get("/account/connections").shows(http.StatusOK, "Wiki", "Know who you are")
	apps := h.Superadmin().Do("APP.GET", harness.P{"slug": "wiki"}).OK()
	b.fill("/account/connections/apps/revoke", "app_id="+apps.String("app.id")).goes("/account/connections").follow().shows(http.StatusOK, "disconnected", "No connected apps")
	b.get(asked).shows(http.StatusOK, "Wiki")
}

// With prompt=select_account a person continues with the current account or signs in
// with another one; the request stays the same.
func TestChoosingAnAccount(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	visit(t, h).signUp("eve@example.com")
	b := visit(t, h)
	b.signUp("ada@example.com")
	requested := func() string {
		_, id, _ := strings.Cut(b.page.body, `name="request_id" value="`)
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	b.get(asked+"&prompt=select_account").shows(http.StatusOK, "ada@example.com", "See your email address", "Allow", "Use another account")
	b.fill("/account/consent", "request_id="+requested(), "approve=true")
	if b.returned().Get("code") == "" {
		t.Error("no code")
	}
	b.get(asked+"&prompt=select_account").shows(http.StatusOK, "Choose an account", "Continue as ada@example.com", "Use another account").lacks("See your email address")
	b.fill("/account/consent", "request_id="+requested(), "approve=true")
	if b.returned().Get("code") == "" {
		t.Error("no code for who they are")
	}

	b.get(asked+"&prompt=select_account").shows(http.StatusOK, "Choose an account")
	b.fill("/account/consent/another", "request_id="+requested(), "client_id=wiki").goes("/login").follow().shows(http.StatusOK, "Sign in")
	b.fill("/login", "email=eve@example.com", "password=wrong").shows(http.StatusUnprocessableEntity, "Sign in")
	b.fill("/login", "email=eve@example.com", "password="+harness.Password)
	b.follow().shows(http.StatusOK, "eve@example.com", "See your email address", "Allow")
	b.fill("/account/consent", "request_id="+requested(), "approve=true")
	if b.returned().Get("code") == "" {
		t.Error("no code for somebody else")
	}
	b.get("/account").shows(http.StatusOK, "eve@example.com")
	b.get("/login").goes("/account")
	b.get(asked+"&prompt=select_account").shows(http.StatusOK, "Continue as eve@example.com")
}

// The login form is filled with login_hint until something else is typed.
func TestExpectedAddress(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	b := visit(t, h).get(asked+"&login_hint=grace%40example.com").follow().shows(http.StatusOK, "grace@example.com")
	tab := b.copied().click("/signup").shows(http.StatusOK, "grace@example.com")
	tab.click("/login").shows(http.StatusOK, "grace@example.com")
	b.fill("/login", "email=ada@example.com", "password=wrong").shows(http.StatusUnprocessableEntity, "ada@example.com")
	b.get(asked).follow().shows(http.StatusOK, "Sign in").lacks("grace@example.com")
}

// A request that must not be answered by a redirect is explained on a page, and nothing
// is sent anywhere else.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	b := visit(t, h).signUp("ada@example.com")
	for _, wrong := range []string{
		strings.Replace(asked, "client_id=wiki", "client_id=nobody", 1), strings.Replace(asked, "wiki.example.com", "evil.example.com", 1),
		asked + "&client_id=wiki", "/oauth/authorize", "/oauth/authorize?client_id=wiki&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax",
	} {
		b.get(wrong).shows(http.StatusBadRequest, "it got no access")
	}
	const markup = `"><script>alert(1)</script>`
	b.get("/oauth/authorize?client_id="+url.QueryEscape(markup)).shows(http.StatusBadRequest, "it got no access").lacks("<script>alert")
	marked := strings.Replace(asked, "state=xyz", "state="+url.QueryEscape(markup), 1)
	b.get(marked+"&response_mode=form_post&prompt=none").shows(http.StatusOK, "Continue").lacks("<script>alert")
	b.get(asked + "&prompt=none")
	if got := b.returned(); got.Get("error") != "consent_required" {
		t.Errorf("silently: %v", got)
	}
	b.get(asked + "&prompt=login").goes("/account/confirm")
	b.get(asked+"&response_mode=form_post&prompt=none").shows(http.StatusOK, "Continue")
	for _, want := range []string{`action="` + wikiURL + `"`, `name="error" value="consent_required"`, `name="state" value="xyz"`} {
		if !strings.Contains(b.page.body, want) {
			t.Errorf("%s is not on the page: %s", want, b.page.body)
		}
	}
}

// An error of the protocol goes back to a client that is known, with the code of the RFC.
func TestErrorsReturnToTheClient(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	long := strings.Repeat("a", 5000)
	for _, b := range []*browser{visit(t, h), visit(t, h).signUp("ada@example.com")} {
		for more, want := range map[string]string{
			"&max_age=soon": "invalid_request", "&max_age=99999999999999999999": "invalid_request", "&max_age=-1": "invalid_request", "&nonce=" + long: "invalid_request",
			"&login_hint=" + long: "invalid_request", "&dpop_jkt=short": "invalid_request", "&prompt=create": "invalid_request", "&request_uri=https%3A%2F%2Fevil.example": "request_uri_not_supported",
			"&resource=https%3A%2F%2Fa.test&resource=https%3A%2F%2Fb.test": "invalid_target", "&resource=made-up": "invalid_target", "&nonce=a&nonce=b": "invalid_request",
			"&nonce=%ff": "invalid_request", "&unknown=a&unknown=b": "invalid_request",
		} {
			b.get(asked + more)
			if got := b.returned(); got.Get("error") != want || got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer {
				t.Errorf("%.40s: the answer %v, want %s", more, got, want)
			}
		}
		b.get(strings.Replace(asked, "state=xyz", "state="+long, 1))
		if got := b.returned(); got.Get("error") != "invalid_request" || got.Get("state") != long {
			t.Errorf("a long state: %.60v", got)
		}
		b.get(asked + "&state=twice")
		if got := b.returned(); got.Get("error") != "invalid_request" || got.Has("state") {
			t.Errorf("two states: %v", got)
		}
		if b.get(asked + "&ui_locales=" + long); strings.HasPrefix(b.page.to, wikiURL) || b.page.status == http.StatusBadRequest {
			t.Errorf("long ui_locales: %d to %.60s", b.page.status, b.page.to)
		}
	}
}

// A form_post response goes to the registered address including its query, and contains
// only the response (RFC 6749 section 3.1.2).
func TestPostedAnswersKeepTheQuery(t *testing.T) {
	t.Parallel()
	const address = wikiURL + "?state=own&tenant=7"
	h := service(t)
	asked := strings.Replace(wiki(h), url.QueryEscape(wikiURL), url.QueryEscape(address), 1)
	apps := h.Superadmin()
	apps.Do("APP.UPDATE", harness.P{"app_id": apps.Do("APP.GET", harness.P{"slug": "wiki"}).OK().String("app.id"), "redirect_urls": []string{address}}).OK()
	b := visit(t, h).signUp("ada@example.com")
	b.get(asked + "&response_mode=form_post&prompt=none&max_age=&nonce=")
	b.shows(http.StatusOK, "Continue")
	for _, want := range []string{`action="` + html.EscapeString(address) + `"`, `name="error" value="consent_required"`, `name="state" value="xyz"`} {
		if !strings.Contains(b.page.body, want) {
			t.Errorf("%s is not on the page: %s", want, b.page.body)
		}
	}
	if strings.Contains(b.page.body, `name="tenant"`) || strings.Contains(b.page.body, `value="own"`) {
		t.Errorf("the query of the address is posted: %s", b.page.body)
	}
}

// RP-initiated logout: with a valid id_token_hint at once, else after a confirmation;
// the redirect goes to a registered address only.
func TestSigningOutByClient(t *testing.T) {
	t.Parallel()
	const goodbye = "https://wiki.example.com/goodbye"
	h := service(t)
	h.Superadmin().Do("APP.REGISTER", harness.P{"name": "Wiki", "slug": "wiki", "type": "web", "redirect_urls": []string{wikiURL}, "logout_urls": []string{goodbye}}).OK()
	asked := "/oauth/end_session?client_id=wiki&state=a%20b&unknown=1&post_logout_redirect_uri=" + url.QueryEscape(goodbye)
	b := visit(t, h).signUp("ada@example.com")
	b.get(asked).shows(http.StatusOK, "Wiki", "wiki.example.com", "Sign out")
	if got := b.page.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' https://wiki.example.com;") {
		t.Errorf("the form leads nowhere else: %s", got)
	}
	b.get("/account").shows(http.StatusOK, "ada@example.com")
	b.get(asked).fill("/logout", "client_id=wiki", "state=a b", "post_logout_redirect_uri="+goodbye)
	if b.page.status != http.StatusSeeOther || b.page.to != goodbye+"?state=a+b" {
		t.Errorf("after the logout: %d to %q", b.page.status, b.page.to)
	}
	b.get("/account").goes("/login?return_to=%2Faccount")
	if b.get(asked); b.page.to != goodbye+"?state=a+b" {
		t.Errorf("who is signed out is led to %q", b.page.to)
	}
	b.get(asked+"&state=twice").shows(http.StatusBadRequest, "more than once")
	b.get("/oauth/end_session?client_id=wiki&post_logout_redirect_uri=https://evil.example/").shows(http.StatusBadRequest, "logout_urls")
	b.get("/oauth/end_session").goes("/login").follow().shows(http.StatusOK, "signed out")
	unhinted := "/oauth/end_session?state=x&post_logout_redirect_uri=" + url.QueryEscape(goodbye)
	b.get(unhinted).goes("/login").follow().shows(http.StatusOK, "signed out")
	b.get("/login").fill("/login", "email=ada@example.com", "password="+harness.Password).goes("/account")
	b.get(unhinted).shows(http.StatusOK, "Do you want to sign out of this browser?").lacks("wiki.example.com")
	b.fill("/logout").goes("/login")
}

// Clients that registered themselves, or are described by a metadata document, are
// marked as unverified on the consent page; others are not.
func TestStrangersAreMarked(t *testing.T) {
	t.Parallel()
	const unchecked, document = "This app has not been reviewed", "https://agent.example/client.json"
	h := service(t)
	asked := wiki(h)
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"client_registration": "open", "client_metadata_documents": true}}).OK()
	h.Web.Publish(t, document, harness.P{"client_id": document, "client_name": "Agent", "redirect_uris": []string{wikiURL}, "token_endpoint_auth_method": "none"}, time.Hour)
	made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", harness.P{
		"client_name": "Wiki", "redirect_uris": []string{wikiURL}, "grant_types": []string{"authorization_code", "urn:ietf:params:oauth:grant-type:device_code"}, "token_endpoint_auth_method": "none",
	}).OK().String("client_id")
	b := visit(t, h).signUp("ada@example.com")
	b.get(asked).shows(http.StatusOK, "Wiki").lacks(unchecked)
	b.get(strings.Replace(asked, "client_id=wiki", "client_id="+made, 1)).shows(http.StatusOK, unchecked, "Continue only if you started this yourself and trust")
	b.get(strings.Replace(asked, "client_id=wiki", "client_id="+url.QueryEscape(document), 1)).shows(http.StatusOK, unchecked, "Only its address identifies it", document)
	code := h.Anonymous().Do("OAUTH.DEVICE_START", harness.P{"client_id": made}).OK().String("user_code")
	b.get("/device").fill("/device", "user_code="+code).shows(http.StatusOK, unchecked)
}

// The consent page of a program on the device says so, and shows the whole address.
func TestConsentToAProgramOnTheDevice(t *testing.T) {
	t.Parallel()
	h := service(t)
	const scheme, loopback = "com.example.editor://oauth/callback", "http://127.0.0.1:51004/callback"
	h.Superadmin().Do("APP.REGISTER", harness.P{"name": "Editor", "slug": "editor", "type": "native", "redirect_urls": []string{scheme, "http://127.0.0.1/callback"}}).OK()
	b := visit(t, h)
	b.signUp("ada@example.com")
	for _, address := range []string{scheme, loopback} {
		b.get("/oauth/authorize?client_id=editor&response_type=code&scope=openid&redirect_uri="+url.QueryEscape(address)+
			"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256").
			shows(http.StatusOK, "an app on this device", address)
	}
}

// hidden returns a hidden field of the page, as fill takes it.
func (b *browser) hidden(name string) string {
	b.t.Helper()
	_, after, there := strings.Cut(b.page.body, `name="`+name+`" value="`)
	if !there {
		b.t.Fatalf("the page has no %s: %s", name, b.page.body)
	}
	value, _, _ := strings.Cut(after, `"`)
	return name + "=" + html.UnescapeString(value)
}

// An old session confirms that it is the person before it grants access that outlasts it, and
// then goes on where it was.
func TestLastingAccessNeedsARecentSignIn(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := wiki(h)
	lasting := strings.Replace(asked, "scope=openid", "scope=offline_access+openid", 1)
	if lasting == asked {
		t.Fatalf("the request is %s", asked)
	}
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(16 * time.Minute)
	b.get(lasting).shows(http.StatusOK, "Allow", "Keep access when you are not using the app")
	b.fill("/account/consent", b.hidden("request_id"), b.hidden("client_id"), "approve=true")
	b.goes("/account/confirm").follow().shows(http.StatusOK, "gets access to your account")
	b.fill("/account/confirm", "password="+harness.Password).follow().shows(http.StatusOK, "Allow")
	b.fill("/account/consent", b.hidden("request_id"), b.hidden("client_id"), "approve=true")
	if b.returned().Get("code") == "" {
		t.Error("no code after the confirmation")
	}
}
