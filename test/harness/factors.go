package harness

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/ports/outbound"
)

// App is an authenticator app with one secret, which makes codes without any code
// of the service (RFC 6238).
type App struct {
	// Secret is in base32.
	Secret string
	// FactorID is that of the factor, RecoveryCodes those that came with it.
	FactorID      string
	RecoveryCodes []string

	clock outbound.Clock
	t     testing.TB
}

// NewApp is one that reads a clock.
func NewApp(t testing.TB, secret string, clock outbound.Clock) *App {
	t.Helper()
	return &App{Secret: secret, clock: clock, t: t}
}

// Code is the one that the app shows.
func (a *App) Code() string { a.t.Helper(); return a.CodeIn(0) }

// CodeIn is the one that it shows some time later.
func (a *App) CodeIn(later time.Duration) string {
	a.t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(a.Secret)
	if err != nil {
		a.t.Fatalf("read the secret of an app: %v", err)
	}
	const step, digits = 30, 1_000_000
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, a.clock.Now().Add(later).Unix()/step)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%digits)
}

// Step is how long a code is shown.
const Step = 30 * time.Second

// SetUpApp begins to enroll an app of the actor.
func (a *Actor) SetUpApp() *App {
	a.h.t.Helper()
	begun := a.Do("AUTH.MFA_SETUP_TOTP", nil).OK()
	app := NewApp(a.h.t, begun.String("secret"), a.h.Clock)
	app.FactorID = begun.String("factor_id")
	return app
}

// EnrollApp enrolls an app of the actor, and moves the clock on, so that its next
// code works.
func (a *Actor) EnrollApp() *App {
	a.h.t.Helper()
	app := a.SetUpApp()
	done := a.Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
	if done.Has("recovery_codes") {
		app.RecoveryCodes = done.Strings("recovery_codes")
	}
	a.h.Clock.Advance(Step)
	return app
}

// Challenge logs in by password, as far as that goes for somebody with a second
// factor, and returns the challenge token.
func (h *Service) Challenge(email string) string {
	h.t.Helper()
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": Password}).OK().String("challenge_token")
}

// LoginBy logs in by password and the code of an app.
func (h *Service) LoginBy(email string, app *App) *Actor {
	h.t.Helper()
	token := h.Challenge(email)
	return h.actor(h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": app.Code()}).OK())
}

// MailedCode is the newest code that an address got by mail.
func (h *Service) MailedCode(email string) string {
	h.t.Helper()
	for _, letter := range slices.Backward(h.Mail(email)) {
		if codePattern.MatchString(letter.Text) {
			return letter.Code()
		}
	}
	h.t.Fatalf("%s got no code by mail", email)
	return ""
}
