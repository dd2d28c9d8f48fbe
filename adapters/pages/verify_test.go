package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// The verification page asks for the password optionally: with it, or in a signed-in
// browser, the address is bound to the account.
func TestConfirmBinds(t *testing.T) {
	t.Parallel()
	h := service(t)
	for number, c := range []struct {
		what  string
		visit func(b *browser, email string)
		sent  string
		bound bool
	}{
		{"nothing", func(*browser, string) {}, "", false},
		{"the password", func(*browser, string) {}, harness.Password, true},
		{"a session", func(b *browser, email string) {
			b.get("/login").fill("/login", "email="+email, "password="+harness.Password).goes("/account")
		}, "", true},
		{"a session that has ended", func(b *browser, email string) {
			b.get("/login").fill("/login", "email="+email, "password="+harness.Password).goes("/account")
			h.Login(email, harness.Password).Do("SESSION.REVOKE_ALL", nil).OK()
		}, "", false},
	} {
		email := fmt.Sprintf("ada%d@example.com", number)
		h.SignUp(email)
		letter := h.LastMail(email)
		b := visit(t, h)
		c.visit(b, email)
		b.get(strings.TrimPrefix(letter.Link(), harness.Issuer)).shows(http.StatusOK, "Password")
		b.fill("/verify", "token="+letter.Token(), "password=wrong wrong").shows(http.StatusUnprocessableEntity, "password is wrong")
		b.fill("/verify", "token="+letter.Token(), "password="+c.sent).follow().shows(http.StatusOK, "Your address is confirmed.")
		events := h.Events(user.KindEmailVerified)
		if len(events) != number+1 || strings.Contains(string(events[0].Data), `"bound":true`) != c.bound {
			t.Errorf("with %s: %s", c.what, events[0].Data)
		}
	}
}

// If domains decide who may join, unverified accounts are led to the verification,
// including those signed in before.
func TestUnprovedIsLedToVerification(t *testing.T) {
	t.Parallel()
	h := service(t)
	before := visit(t, h).signUp("ada@example.com")
	h.Superadmin().Do("POLICY.SET", harness.P{"kind": "signup", "values": harness.P{"allowed_domains": []string{"example.com"}}}).OK()
	before.get("/account/security").goes("/login/required").follow().shows(http.StatusOK, "Confirm your address first")
	before.fill("/login/required/verification").goes("/login/required")
	letter := h.LastMail("ada@example.com")
	before.get(strings.TrimPrefix(letter.Link(), harness.Issuer)).fill("/verify", "token="+letter.Token()).goes("/login").follow().shows(http.StatusOK, "Sign in again.")
	before.login(harness.Password).goes("/account")
	visit(t, h).get("/signup").fill("/signup", "email=bob@example.com", "password="+harness.Password, "display_name=Bob").
		goes("/login/required").follow().shows(http.StatusOK, "bob@example.com", "Resend email")
}
