package pages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/terminal"
	"gatehouse.internal/test/harness"
)

const terminalVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// terminalRequest is what the command line opens the page with.
func terminalRequest() terminal.Request {
	sum := sha256.Sum256([]byte(terminalVerifier))
	return terminal.Request{
		Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), Machine: "laptop.example",
		Return: "http://127.0.0.1:8123", State: strings.Repeat("s", 43),
	}
}

// fields are the fields of the form of a request.
func terminalFields(r terminal.Request, approve string) []string {
	fields := []string{"approve=" + approve}
	for name, values := range r.Values() {
		fields = append(fields, name+"="+values[0])
	}
	return fields
}

// A person opens the address, signs in, compares the code, and continues: the browser hands
// a code to loopback, which works with the verifier alone.
func TestSigningInTheCommandLine(t *testing.T) {
	t.Parallel()
	h := service(t)
	visit(t, h).signUp("ada@example.com")
	r := terminalRequest()
	address := "/device/terminal?" + r.Values().Encode()
	b := visit(t, h)
	b.get(address).goes("/login?return_to="+url.QueryEscape(address)).follow().fill("/login", "email=ada@example.com", "password="+harness.Password)
	b.goes(address).follow().shows(http.StatusOK, "laptop.example", r.Words(), "ada@example.com", "just started this yourself", "Continue", "Cancel")
	if got := b.page.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' http://127.0.0.1:8123;") || !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("the policy of the page: %s", got)
	}
	b.fill("/device/terminal", terminalFields(r, "true")...)
	to, err := url.Parse(b.page.header.Get("Location"))
	if err != nil || b.page.status != http.StatusSeeOther || to.Host != "127.0.0.1:8123" || to.Query().Get("state") != r.State {
		t.Fatalf("sent to %v, %v", to, err)
	}
	h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", harness.P{"token": to.Query().Get("code"), "code_verifier": terminalVerifier}).OK()

	b.get(address).fill("/device/terminal", terminalFields(r, "false")...).goes(r.Back(""))
	r.Return, r.State = "", ""
	b.get("/device/terminal?"+r.Values().Encode()).shows(http.StatusOK, "Continue").fill("/device/terminal", terminalFields(r, "true")...)
	b.shows(http.StatusOK, "Copy this code", "laptop.example", r.Words(), "share it.")
	b.get("/device/terminal?"+r.Values().Encode()).fill("/device/terminal", terminalFields(r, "false")...).goes("/account").follow().shows(http.StatusOK, "was not signed in")
}

// The page sends a code to no other address, whether asked by its address or by its form, and
// takes no form of another site.
func TestTheCodeOfTheCommandLineGoesNowhereElse(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	for _, to := range []string{"https://evil.example", "http://evil.example:80", "http://127.0.0.1:80@evil.example", "http://localhost:8123", "//evil.example", "http://127.0.0.1:0"} {
		r := terminalRequest()
		page := "/device/terminal?" + r.Values().Encode()
		r.Return = to
		b.get("/device/terminal?"+r.Values().Encode()).shows(http.StatusBadRequest, "Sign-in failed").lacks("Continue")
		b.get(page).shows(http.StatusOK, "Continue").fill("/device/terminal", terminalFields(r, "true")...).shows(http.StatusBadRequest, "Sign-in failed")
		b.get(page).fill("/device/terminal", terminalFields(r, "false")...).shows(http.StatusBadRequest, "Sign-in failed")
	}
	sent := terminalRequest().Values()
	sent.Set("approve", "true")
	b.send(http.MethodPost, "/device/terminal", sent).shows(http.StatusForbidden)
}

// An old session confirms that it is the person first, and comes back to the page.
func TestTheCommandLineNeedsARecentSignIn(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("ada@example.com")
	h.Clock.Advance(16 * time.Minute)
	r := terminalRequest()
	address := "/device/terminal?" + r.Values().Encode()
	b.get(address).shows(http.StatusOK, "Continue").fill("/device/terminal", terminalFields(r, "true")...)
	b.goes("/account/confirm").follow().fill("/account/confirm", "password="+harness.Password)
	b.goes(address).follow().fill("/device/terminal", terminalFields(r, "true")...)
	if to := b.page.header.Get("Location"); !strings.HasPrefix(to, "http://127.0.0.1:8123/?code=") {
		t.Errorf("sent to %s", to)
	}
}
