package pages_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// broken fails every command with one error.
type broken struct{ failure *fault.Error }

func (b broken) Execute(context.Context, inbound.Request) inbound.Reply {
	return inbound.Reply{Failure: b.failure}
}
func (broken) Catalog() []inbound.Descriptor { return nil }

func (broken) Describe(context.Context, string) (inbound.Descriptor, bool) {
	return inbound.Descriptor{}, false
}

// noLogos knows no logo.
type noLogos struct{}

func (noLogos) Logo(context.Context, string) (outbound.Picture, error) {
	return outbound.Picture{}, errors.New("no logo")
}

func site(commands inbound.Commands) *pages.Site {
	const secret = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"
	return &pages.Site{Site: kit.Site{
		Commands: commands, Sealer: cipher.FromSecret(secret, "test", system.Random{}),
		Blinder: cipher.NewBlinder([]byte(secret)), Random: system.Random{}, Clock: system.Clock{}, Logger: slog.New(slog.DiscardHandler),
		Host: "https://auth.example.com", Origin: httpapi.NewOrigins(nil, "https://auth.example.com").Of, Logos: noLogos{},
	}}
}

func shown(t *testing.T, handler http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

// colors returns the address of the page's branding stylesheet.
func (b *browser) colors() string {
	b.t.Helper()
	_, rest, _ := strings.Cut(b.page.body, `href="/assets/look.`)
	name, _, _ := strings.Cut(rest, `"`)
	return b.copied().get("/assets/look." + name).shows(http.StatusOK).page.body
}

func (b *browser) policy() string { return b.page.header.Get("Content-Security-Policy") }

func TestBranding(t *testing.T) {
	t.Parallel()
	h := service(t)
	root := h.Superadmin()
	b, ada := visit(t, h), visit(t, h).signUp("ada@example.com")
	b.get("/recover").shows(http.StatusOK, "Reset your password · Gatehouse").lacks("<img", "Need help?")
	if !strings.Contains(b.colors(), "--accent:#3a4fd0;--on-accent:#ffffff;--link:#3a4fd0;--ground:#f5f6fa;--ink-on-ground:#14172a;--soft-on-ground:#575d75;--link-on-ground:#3a4fd0") {
		t.Errorf("the built-in colors are %s", b.colors())
	}
	root.Do("BRANDING.SET", harness.P{
		"name": "Acme & Sons", "logo_url": "https://cdn.example.com:8443/logo.svg?v=1", "support_email": "help@example.com",
		"colors": harness.P{"primary": "#ffdd00", "primary_dark": "#101010", "background": "#202020", "background_dark": "#000000"},
	}).OK()
	for _, path := range []string{"/login", "/signup", "/recover", "/login/nowhere"} {
		b.get(path)
		if body := b.page.body; !strings.Contains(body, " · Acme &amp; Sons</title>") || !strings.Contains(body, `src="https://cdn.example.com:8443/logo.svg?v=1"`) ||
			!strings.Contains(body, `Need help? <a href="mailto:help@example.com">help@example.com</a>`) {
			t.Errorf("%s does not take the look: %s", path, body)
		}
		if !strings.Contains(b.policy(), "img-src 'self' data: https://cdn.example.com:8443; form-action") {
			t.Errorf("%s: the policy is %s", path, b.policy())
		}
	}
	for _, want := range []string{
		":root{--accent:#ffdd00;--on-accent:#000000;--link:#000000;--ground:#202020;--ink-on-ground:#ffffff;--soft-on-ground:#ffffff;--link-on-ground:#ffdd00}",
		"@media (prefers-color-scheme:dark){:root{--accent:#101010;--on-accent:#ffffff;--link:#ffffff;--ground:#000000;",
	} {
		if !strings.Contains(b.colors(), want) {
			t.Errorf("the colors are %s, want %s", b.colors(), want)
		}
	}
	ada.get("/account").shows(http.StatusOK, "Acme & Sons", "Need help?")
}

// Account pages use the branding of the workspace, all others that of the instance.
func TestWorkspaceBranding(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	ada := h.Login("ada@example.com", harness.Password)
	ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada's", "logo_url": "https://ada.example/a.png", "colors": harness.P{"primary": "#aa0000"}}).OK()
	b.get("/account").shows(http.StatusOK, " · Ada's", "https://ada.example/a.png")
	if !strings.Contains(b.policy(), "data: https://ada.example;") || !strings.Contains(b.colors(), "--accent:#aa0000;") {
		t.Errorf("the policy is %s, the colors are %s", b.policy(), b.colors())
	}
	b.get("/recover").shows(http.StatusOK, " · Gatehouse").lacks("ada.example")
	if strings.Contains(b.policy(), "ada.example") {
		t.Errorf("the policy is %s", b.policy())
	}
	visit(t, h).get("/login").shows(http.StatusOK, " · Gatehouse").lacks("ada.example")
	visit(t, h).signUp("bob@example.com").get("/account").shows(http.StatusOK, " · Gatehouse").lacks("ada.example")
	h.Clock.Advance(time.Hour)
	b.get("/account").shows(http.StatusOK, " · Ada's")
	h.Login("ada@example.com", harness.Password).Do("SESSION.REVOKE_ALL", nil).OK()
	b.get("/account/nowhere").shows(http.StatusNotFound, " · Gatehouse")
}

// Branding from the store is escaped.
func TestHostileBranding(t *testing.T) {
	t.Parallel()
	const markup = `</title><script>alert(1)</script>"'`
	for logo, image := range map[string]string{
		`https://cdn.example.com/"onerror="alert(1)`: `src="https://cdn.example.com/%22onerror=%22alert%281%29"`,
		"javascript:alert(1)":                        `src="#ZgotmplZ"`,
	} {
		look, err := json.Marshal(map[string]any{
			"name": markup, "logo_url": logo, "support_email": `"><script>alert(1)</script>@example.com`,
			"colors": map[string]string{"primary": "#112233", "background": "#ffffff", "primary_dark": "#112233", "background_dark": "#000000"},
		})
		if err != nil {
			t.Fatal(err)
		}
		handler, err := site(answering{look}).Handler()
		if err != nil {
			t.Fatal(err)
		}
		page := shown(t, handler, "/recover")
		if body := page.Body.String(); strings.Contains(body, "<script>") || !strings.Contains(body, image) {
			t.Errorf("the page is %s", body)
		}
		if policy := page.Header().Get("Content-Security-Policy"); strings.Contains(policy, "javascript") || strings.Contains(policy, "alert") {
			t.Errorf("the policy is %s", policy)
		}
	}
}

// answering returns one result for every command.
type answering struct{ result []byte }

func (a answering) Execute(context.Context, inbound.Request) inbound.Reply {
	return inbound.Reply{Data: a.result}
}
func (answering) Catalog() []inbound.Descriptor { return nil }

func (answering) Describe(context.Context, string) (inbound.Descriptor, bool) {
	return inbound.Descriptor{}, false
}

// Only valid names of branding stylesheets are served, and they contain colors only.
func TestStylesheetNames(t *testing.T) {
	t.Parallel()
	b := visit(t, service(t)).get("/login")
	_, rest, _ := strings.Cut(b.page.body, `href="/assets/look.`)
	name, _, _ := strings.Cut(rest, `"`)
	digits, end, _ := strings.Cut(name, ".")
	b.get("/assets/look." + strings.Repeat("a", len(digits)) + "." + end).shows(http.StatusOK)
	for _, other := range []string{
		"look." + digits + ".00000000.css", "look." + digits + "ff." + end, "look." + digits[1:] + "." + end, "look.." + end, "look.css", digits + "." + end,
		"look." + strings.Repeat("g", len(digits)) + "." + end, "look." + strings.Repeat("A", len(digits)) + "." + end, "look." + digits + "." + end + "x",
		"look." + digits[:18] + "%3b%7d%2a%7b." + end,
	} {
		b.get("/assets/" + other).shows(http.StatusNotFound)
	}
}

func TestSiteNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := (&pages.Site{}).Handler(); err == nil {
		t.Error("a site without its parts is built")
	}
}

// An internal error shows a generic message.
func TestServiceFailure(t *testing.T) {
	t.Parallel()
	handler, err := site(broken{fault.New(fault.Internal, "internal error")}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	if page := shown(t, handler, "/login"); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), " · Gatehouse</title>") {
		t.Errorf("/login answers %d while the service fails", page.Code)
	}
	first := shown(t, handler, "/recover")
	request := httptest.NewRequest(http.MethodPost, "/recover", strings.NewReader("email=ada@example.com&csrf="+formToken.FindStringSubmatch(first.Body.String())[1]))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, cookie := range first.Result().Cookies() {
		request.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, request)
	if body := w.Body.String(); w.Code != http.StatusInternalServerError || !strings.Contains(body, "Something went wrong") || strings.Contains(body, "internal error") {
		t.Errorf("a failure is shown as %d %s", w.Code, body)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"is too short": "Is too short.", "Done.": "Done.", "really?": "Really?", "": "", "über": "Über.", "a": "A.", "like usr_…": "Like usr_…",
	} {
		if got := pages.Sentence(message); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", message, got, want)
		}
	}
}

// Parts of messages meant for programs are removed.
func TestWording(t *testing.T) {
	t.Parallel()
	for failure, want := range map[*fault.Error]string{
		social.ErrLinkFirst: "An account with your email address already exists; sign in to it and link the provider.",
		social.ErrUnvouched: "The provider has no verified email address for you; verify one there, or sign in here and link the provider.",
		fault.New(fault.Validation, "between 1 and 5 (a day) for U.S. people"): "Between 1 and 5 (a day) for U.S. people.",
		fault.New(fault.Validation, "between 1 and 5, for U.S. people"):        "Between 1 and 5, for U.S. people.",
		mfa.ErrNoPending: "No enrollment in progress.",
		device.ErrProof:  "Recent second factor required: sign in with one.",
	} {
		if got := pages.Wording(failure); got != want {
			t.Errorf("Wording(%q) = %q", failure.Message, got)
		}
	}
}

const wikiLogo = "https://cdn.wiki.example.com/logo.png"

// withLogo registers a wiki with a logo, and returns its authorization request.
func withLogo(h *harness.Service) string {
	asked, root := wiki(h), h.Superadmin()
	root.Do("APP.UPDATE", harness.P{"app_id": root.Do("APP.GET", harness.P{"slug": "wiki"}).OK().String("app.id"), "logo_url": wikiLogo}).OK()
	h.Web.Show(wikiLogo, outbound.Picture{Type: "image/png", Body: []byte("a picture"), Keep: time.Hour})
	return asked
}

var logoAddress = regexp.MustCompile(`<img src="(/oauth/logo/[^"]+)"`)

// logo returns the address of the logo on the page, or "".
func (b *browser) logo() string {
	if found := logoAddress.FindStringSubmatch(b.page.body); found != nil {
		return found[1]
	}
	return ""
}

// The pages of a sign-in name the application that it is for and show its logo, which
// comes from this site alone.
func TestSignInNamesTheApp(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := withLogo(h)
	visit(t, h).signUp("ada@example.com")
	for _, page := range []string{"/login", "/signup", "/recover"} {
		b := visit(t, h).get(asked).follow()
		if page != "/login" {
			b.click(page)
		}
		b.shows(http.StatusOK, "to continue to", "Wiki", "at wiki.example.com")
		if b.logo() == "" || strings.Contains(b.page.body, "cdn.wiki") || !strings.Contains(b.policy(), "img-src 'self' data:;") {
			t.Errorf("%s has the logo %q and the policy %s: %s", page, b.logo(), b.policy(), b.page.body)
		}
	}
	b := visit(t, h).get(asked).follow()
	address := b.logo()
	b.fill("/login", "email=ada@example.com", "password=wrong").shows(http.StatusUnprocessableEntity, "to continue to", "Wiki")
	b.fill("/login", "email=ada@example.com", "password="+harness.Password).follow().shows(http.StatusOK, "Wiki asks to sign you in").lacks("to continue to")
	if b.logo() != address {
		t.Errorf("the page of the consent has the logo %q, want %q", b.logo(), address)
	}
	b.get("/account").lacks("Wiki")
	visit(t, h).get("/login").lacks("to continue to", "/oauth/logo")
	if visit(t, h).get(address).shows(http.StatusOK, "a picture"); b.get(address).page.header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo is %v", b.page.header)
	}
}

// Logos are sandboxed, and cached until their address changes. Only those that are
// registered are fetched.
func TestLogos(t *testing.T) {
	t.Parallel()
	h := service(t)
	withLogo(h)
	root := h.Superadmin()
	b := visit(t, h)
	before := h.Web.Fetches()
	for range 3 {
		b.get("/oauth/logo/wiki?v=1234").shows(http.StatusOK, "a picture")
	}
	if got := h.Web.Fetches() - before; got != 1 {
		t.Errorf("the logo was fetched %d times, want once", got)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin", "Set-Cookie": "",
	} {
		if got := b.page.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	app := root.Do("APP.GET", harness.P{"slug": "wiki"}).OK().String("app.id")
	const other = "https://cdn.wiki.example.com/new.svg"
	root.Do("APP.UPDATE", harness.P{"app_id": app, "logo_url": other}).OK()
	b.get("/oauth/logo/wiki").shows(http.StatusNotFound)
	h.Web.Show(other, outbound.Picture{Type: "image/svg+xml", Body: []byte("another one")})
	if b.get("/oauth/logo/wiki").shows(http.StatusNotFound); h.Web.Fetches()-before != 2 {
		t.Error("a failed fetch is repeated at once")
	}
	h.Clock.Advance(2 * time.Minute)
	b.get("/oauth/logo/wiki").shows(http.StatusOK, "another one")
	before = h.Web.Fetches()
	root.Do("APP.UPDATE", harness.P{"app_id": app, "logo_url": ""}).OK()
	for _, path := range []string{"wiki", "nobody", "https:%2F%2Fevil.example%2Flogo.png", "wiki?url=" + url.QueryEscape(wikiLogo)} {
		b.get("/oauth/logo/" + path).shows(http.StatusNotFound)
	}
	if got := h.Web.Fetches() - before; got != 0 {
		t.Errorf("%d fetches without a logo", got)
	}
}

// An application that registered itself has the first letter of its name for a logo: it
// could show that of another one.
func TestStrangersHaveNoLogo(t *testing.T) {
	t.Parallel()
	h := service(t)
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"client_registration": "open"}}).OK()
	h.Web.Show(wikiLogo, outbound.Picture{Type: "image/png", Body: []byte("a picture")})
	made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", harness.P{
		"client_name": "Wiki", "redirect_uris": []string{wikiURL}, "token_endpoint_auth_method": "none", "logo_uri": wikiLogo,
	}).OK().String("client_id")
	b := visit(t, h).get(strings.Replace(wiki(h), "client_id=wiki", "client_id="+made, 1)).follow()
	b.shows(http.StatusOK, "to continue to")
	if !strings.Contains(b.page.body, `<span class="tile" aria-hidden="true">W</span>`) {
		t.Errorf("the page has another logo: %s", b.page.body)
	}
	before := h.Web.Fetches()
	if b.get("/oauth/logo/" + made).shows(http.StatusNotFound); h.Web.Fetches() != before {
		t.Error("the logo was fetched")
	}
}

// The page to sign in again says who asks or why, and has no navigation.
func TestSigningInAgainSaysWhy(t *testing.T) {
	t.Parallel()
	h := service(t)
	asked := withLogo(h)
	b := visit(t, h).signUp("ada@example.com")
	b.get(asked+"&prompt=login").goes("/account/confirm").follow().shows(http.StatusOK, "Wiki asks you to sign in again", "ada@example.com", "Use another account")
	if b.logo() == "" {
		t.Error("there is no logo")
	}
	b.lacks(`aria-label="Account"`, "API keys", ", confirm that it", "to continue to")
	b.fill("/account/confirm", "password=wrong").shows(http.StatusUnprocessableEntity, "Wiki asks you to sign in again").lacks(`aria-label="Account"`)
	b.copied().fill("/account/consent/another").goes("/login").follow().shows(http.StatusOK, "to continue to")
	b.fill("/account/confirm", "password="+harness.Password).follow().shows(http.StatusOK, "Wiki asks to sign you in")
	h.Clock.Advance(16 * time.Minute)
	for page, why := range map[string]string{
		"/account/keys/new": "To create or revoke API keys, confirm that it", "/account/security/password": "To change your password, confirm that it",
		"/account/profile/delete": "To delete your account, confirm that it", "/account/workspaces/invitations/new": "To change who has access to a workspace, confirm that it",
	} {
		if b.get(page); b.page.status != http.StatusSeeOther {
			b.get("/account/confirm?return_to=" + url.QueryEscape(page))
		} else {
			b.follow()
		}
		b.shows(http.StatusOK, "Confirm it's you", why).lacks(`aria-label="Account"`, "Wiki")
	}
}
