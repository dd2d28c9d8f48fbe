package pages_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// browser keeps cookies and submits forms, like a browser without scripts.
type browser struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
	// header is sent with every request; host overrides the Host header if set.
	header http.Header
	host   string
	// remote overrides the remote address if set.
	remote string
	// page is the last response.
	page answer
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
	to     string
	set    map[string]*http.Cookie
}

var visitors atomic.Uint32

// visit returns a browser with a client address of its own.
func visit(t *testing.T, h *harness.Service) *browser {
	t.Helper()
	n := visitors.Add(1)
	return &browser{
		t: t, handler: h.Handler, cookies: map[string]string{},
		header: http.Header{"X-Forwarded-For": {"10.9." + itoa(n>>8) + "." + itoa(n&0xff)}, "User-Agent": {"Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}, "Accept": {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}},
	}
}

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// service starts a service that trusts the proxy in front of the test browsers.
func service(t *testing.T, variables ...string) *harness.Service {
	t.Helper()
	return harness.On(t, harness.SQLite(t), append([]string{"TRUSTED_PROXIES=192.0.2.0/24"}, variables...)...)
}

func (b *browser) send(method, path string, form url.Values) *browser {
	b.t.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	for name, values := range b.header {
		request.Header[name] = values
	}
	if b.host != "" {
		request.Host = b.host
	}
	if b.remote != "" {
		request.RemoteAddr = b.remote
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range b.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	recorded := httptest.NewRecorder()
	b.handler.ServeHTTP(recorded, request)
	result := recorded.Result()
	b.page = answer{status: result.StatusCode, header: result.Header, body: recorded.Body.String(), to: result.Header.Get("Location"), set: map[string]*http.Cookie{}}
	for _, cookie := range result.Cookies() {
		b.page.set[cookie.Name] = cookie
		if b.cookies[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
			delete(b.cookies, cookie.Name)
		}
	}
	return b
}

// click follows the link on the last page whose address begins with the given one.
func (b *browser) click(begins string) *browser {
	b.t.Helper()
	found := regexp.MustCompile(`href="(` + regexp.QuoteMeta(begins) + `[^"]*)"`).FindStringSubmatch(b.page.body)
	if found == nil {
		b.t.Fatalf("no link to %s on the page: %s", begins, b.page.body)
	}
	return b.get(html.UnescapeString(found[1]))
}

// get requests a page.
func (b *browser) get(path string) *browser {
	b.t.Helper()
	return b.send(http.MethodGet, path, nil)
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

var pendingField = regexp.MustCompile(`name="pending" value="([^"]+)"`)

// token returns the CSRF token of the forms on the last page.
func (b *browser) token() string {
	b.t.Helper()
	found := formToken.FindStringSubmatch(b.page.body)
	if found == nil {
		b.t.Fatalf("no form on the page: %s", b.page.body)
	}
	return html.UnescapeString(found[1])
}

// fill submits a form of the last page, with fields as name=value.
func (b *browser) fill(path string, fields ...string) *browser {
	b.t.Helper()
	form := url.Values{"csrf": {b.token()}}
	if found := pendingField.FindStringSubmatch(b.page.body); found != nil {
		form.Set("pending", html.UnescapeString(found[1]))
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		form.Add(name, value)
	}
	return b.send(http.MethodPost, path, form)
}

var pendingParameter = regexp.MustCompile(`[?&]pending=[^&"]+`)

// goes fails the test unless the response redirects to an address; a sign-in that is
// pending there is ignored.
func (b *browser) goes(to string) *browser {
	b.t.Helper()
	if b.page.status != http.StatusSeeOther || pendingParameter.ReplaceAllString(b.page.to, "") != to {
		b.t.Fatalf("answered %d to %q, want 303 to %q: %s", b.page.status, b.page.to, to, b.page.body)
	}
	return b
}

// follow follows the redirect of the last response.
func (b *browser) follow() *browser {
	b.t.Helper()
	if b.page.status != http.StatusSeeOther {
		b.t.Fatalf("answered %d, want 303: %s", b.page.status, b.page.body)
	}
	return b.get(b.page.to)
}

// through follows a link to a provider, and returns with its response.
func (b *browser) through(h *harness.Service, provider *upstream.Server, link string) *browser {
	b.t.Helper()
	b.get(link)
	for b.page.status == http.StatusFound || strings.HasPrefix(b.page.to, "/api/") || strings.HasPrefix(b.page.to, provider.URL) {
		to, err := url.Parse(b.page.to)
		if err != nil {
			b.t.Fatal(err)
		}
		if strings.HasPrefix(b.page.to, provider.URL) {
			to = h.Browser().Step(b.page.to).URL
		}
		b.get(to.RequestURI())
	}
	return b
}

// provided returns from a provider to the page that the last response named as redirect_uri.
func (b *browser) provided(answer string) *browser {
	b.t.Helper()
	to, err := url.Parse(b.page.to)
	if err != nil {
		b.t.Fatal(err)
	}
	back, ours := strings.CutPrefix(to.Query().Get("redirect_uri"), harness.Issuer)
	if !ours {
		b.t.Fatalf("%q leads back to %q", b.page.to, back)
	}
	return b.get(back + answer)
}

// shows fails the test unless the page has the status and contains the texts.
func (b *browser) shows(status int, texts ...string) *browser {
	b.t.Helper()
	if b.page.status != status {
		b.t.Fatalf("answered %d to %q, want %d: %s", b.page.status, b.page.to, status, b.page.body)
	}
	for _, text := range texts {
		if !strings.Contains(b.page.body, html.EscapeString(text)) {
			b.t.Fatalf("%q is not on the page: %s", text, b.page.body)
		}
	}
	return b
}

// lacks fails the test if the page contains one of the texts.
func (b *browser) lacks(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if strings.Contains(b.page.body, text) {
			b.t.Fatalf("%q is on the page: %s", text, b.page.body)
		}
	}
}

// signUp creates an account by the sign-up page.
func (b *browser) signUp(address string) *browser {
	b.t.Helper()
	return b.get("/signup").fill("/signup", "display_name=Ada", "email="+address, "password="+harness.Password).goes("/account").follow()
}

// login signs ada@example.com in by the login page.
func (b *browser) login(password string) *browser {
	b.t.Helper()
	return b.get("/login").fill("/login", "email=ada@example.com", "password="+password)
}

// copied returns another tab of the same browser.
func (b *browser) copied() *browser {
	other := *b
	other.cookies = map[string]string{}
	for name, value := range b.cookies {
		other.cookies[name] = value
	}
	return &other
}
