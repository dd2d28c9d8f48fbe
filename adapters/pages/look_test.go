package pages_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// broken answers every command with one failure.
type broken struct{ failure *fault.Error }

func (b broken) Execute(context.Context, inbound.Request) inbound.Reply {
	return inbound.Reply{Failure: b.failure}
}
func (broken) Catalog() []inbound.Descriptor { return nil }

func site(look pages.Look) *pages.Site {
	const secret = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"
	return &pages.Site{
		Commands: broken{fault.New(fault.Internal, "internal error")}, Sealer: cipher.FromSecret(secret, "test", system.Random{}),
		Blinder: cipher.NewBlinder([]byte(secret)), Random: system.Random{}, Clock: system.Clock{}, Logger: slog.New(slog.DiscardHandler),
		Host: "https://auth.example.com", Origin: httpapi.NewOrigins(nil, "https://auth.example.com").Of, Look: look,
	}
}

func shown(t *testing.T, handler http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestLook(t *testing.T) {
	t.Parallel()
	handler, err := site(pages.Look{Name: "Acme & Sons", Accent: "#ffdd00", AccentDark: "#101010", Logo: "https://cdn.example.com/logo.svg"}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	page := shown(t, handler, "/recover")
	body := page.Body.String()
	if !strings.Contains(body, "<title>Reset your password · Acme &amp; Sons</title>") || !strings.Contains(body, `src="https://cdn.example.com/logo.svg"`) {
		t.Errorf("the page does not take the look: %s", body)
	}
	if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "img-src 'self' data: https://cdn.example.com;") {
		t.Errorf("the policy is %s", policy)
	}
	_, rest, _ := strings.Cut(body, `href="/assets/look`)
	name, _, _ := strings.Cut(rest, `"`)
	if colours := shown(t, handler, "/assets/look"+name).Body.String(); !strings.Contains(colours, "--accent:#ffdd00;--on-accent:#0b0d17") ||
		!strings.Contains(colours, "--accent:#101010;--on-accent:#ffffff") {
		t.Errorf("the colours are %s", colours)
	}
}

func TestBadLook(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*pages.Look){
		"a word":                func(l *pages.Look) { l.Accent = "red" },
		"more than a colour":    func(l *pages.Look) { l.Accent = "#fff;}*{" },
		"a sign":                func(l *pages.Look) { l.AccentDark = "#+1+1+1" },
		"none":                  func(l *pages.Look) { l.AccentDark = "" },
		"a logo of a script":    func(l *pages.Look) { l.Logo = "javascript:alert(1)" },
		"a logo in clear":       func(l *pages.Look) { l.Logo = "http://cdn.example.com/logo.svg" },
		"a logo with a user":    func(l *pages.Look) { l.Logo = "https://me:you@cdn.example.com/logo.svg" },
		"a logo with a policy":  func(l *pages.Look) { l.Logo = "https://cdn.example.com; script-src *" },
		"a logo that is a path": func(l *pages.Look) { l.Logo = "/logo.svg" },
	} {
		look := pages.DefaultLook()
		spoil(&look)
		if _, err := site(look).Handler(); err == nil {
			t.Errorf("%s is taken for a look", name)
		}
	}
	if _, err := (&pages.Site{Look: pages.DefaultLook()}).Handler(); err == nil {
		t.Error("a site without its parts is built")
	}
}

// Where the service fails, a person reads that and no more.
func TestServiceFailure(t *testing.T) {
	t.Parallel()
	handler, err := site(pages.DefaultLook()).Handler()
	if err != nil {
		t.Fatal(err)
	}
	if page := shown(t, handler, "/login"); page.Code != http.StatusOK {
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
		"is too short": "Is too short.", "Done.": "Done.", "really?": "Really?", "": "", "über": "Über.", "a": "A.",
	} {
		if got := pages.Sentence(message); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", message, got, want)
		}
	}
}
