package pages_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/fake/mailbox"
	"gatehouse.internal/test/fake/upstream"
)

// arrive logs in by password.
func arrive(w *browser.Tab, p instance.Person) *browser.Tab {
	w.T.Helper()
	return w.Open("/login").Fill("Email address", p.Email).Fill("Password", p.Password).Press("Sign in")
}

// otpSecret is what an authenticator app reads with its camera: the secret in the QR
// code, as Chromium paints it.
func otpSecret(w *browser.Tab) string {
	w.T.Helper()
	shot, err := chromedp.Run(w.Ctx, chromedp.Screenshot(chromedp.CSS("img.qr")))
	w.Must(err)
	seen, err := png.Decode(bytes.NewReader(shot))
	w.Must(err)
	const frame = 4 // the line around it, in pixels
	inner := seen.Bounds().Inset(frame)
	code := image.NewRGBA(image.Rectangle{Max: inner.Size()})
	draw.Draw(code, code.Bounds(), seen, inner.Min, draw.Src)
	dots, err := gozxing.NewBinaryBitmapFromImage(code)
	w.Must(err)
	// Its search for a code within a picture misses one in ten; here is nothing else.
	alone := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true}
	read, err := qrcode.NewQRCodeReader().Decode(dots, alone)
	if err != nil {
		w.T.Fatalf("no QR code can be read in %v: %v", seen.Bounds(), err)
	}
	address, err := url.Parse(read.GetText())
	w.Must(err)
	if address.Scheme != "otpauth" || address.Host != "totp" {
		w.T.Errorf("the QR code is for %q", read.GetText())
	}
	return address.Query().Get("secret")
}

func TestSignUpLogInLogOut(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Sees("Welcome").Sees(p.Email)
		w.Press("Sign out").At("/login").Sees("You are signed out")
		w.Open("/account").At("/login")
		w.Open("/account/sessions").Fill("Email address", p.Email).Fill("Password", "not the password").Press("Sign in").Sees("Wrong email address or password.")
		if got := w.Attribute("#email", "value"); got != p.Email {
			t.Errorf("the address is %q after a refusal", got)
		}
		if got := w.Attribute("#password", "value"); got != "" {
			t.Errorf("the password %q came back", got)
		}
		w.Fill("Password", p.Password).Press("Sign in").At("/account/sessions").Sees("Current")
		w.Open("/login").At("/account")
	})
}

func TestSecondFactorAndRecoveryCode(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Open("/account/security").Press("Add an authenticator app")
		secret := otpSecret(w)
		w.Fill("Code", "000000").Press("Enable").Sees("wrong")
		if otpSecret(w) != secret {
			t.Error("a wrong code made another secret")
		}
		w.Fill("Code", instance.TOTP(t, secret, 0)).Press("Enable").Sees("won't be shown again")
		codes := strings.Fields(w.Shown("ul.codes"))
		if n := w.Count("ul.codes li"); n != 10 {
			t.Errorf("%d recovery codes are shown", n)
		}
		code := w.Shown("ul.codes li code")
		w.Press("I saved my codes").Sees("10 codes left")
		if strings.Contains(w.Text(), codes[0]) {
			t.Error("the recovery codes are shown again")
		}
		w.Open("/account/security/codes").At("/account/security")
		w.Press("Sign out")

		arrive(w, p).At("/login/factor").Fill("Code", "000000").Press("Verify").Sees("wrong")
		w.Fill("Code", instance.TOTP(t, secret, 1)).Press("Verify").At("/account")
		w.Press("Sign out")

		arrive(w, p).At("/login/factor").Press("Recovery code").Fill("Code", code).Press("Verify").At("/account")
		w.Open("/account/security").Sees("9 codes left").Press("Remove Authenticator app").Press("Remove")
		w.Sees("The second factor was removed").Press("Sign out")
		arrive(w, p).At("/account")
	})
}

func TestRememberedBrowser(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Open("/account/security").Press("Add an authenticator app")
		secret := otpSecret(w)
		w.Fill("Code", instance.TOTP(t, secret, 0)).Press("Enable").Press("I saved my codes").Press("Sign out")
		arrive(w, p).At("/login/factor").Fill("Code", instance.TOTP(t, secret, 1)).Tick("Don't ask again").Press("Verify").At("/account")
		arrive(w.Press("Sign out"), p).At("/account")
		w.Open("/account/sessions").Sees("Remembered devices")
		w.Click("Forget Chrome on Linux").Sees("The device was forgotten").Press("Sign out")
		arrive(w, p).At("/login/factor")
	})
}

func TestPasskey(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		w.Authenticator()
		p := instance.Newcomer()
		w.Register(p).Open("/account/security").Press("Add a passkey").Sees("Passkey added")
		if n := w.Count(`a[href^="/account/security/passkeys/"][href$="/remove"]`); n != 1 {
			t.Fatalf("%d passkeys are shown", n)
		}
		w.Find("rename", `all => all.find(e => (e.ariaLabel || "").startsWith("Rename "))`)
		w.Follow().Fill("Name", "My laptop").Press("Save").Sees("My laptop")
		// The browser offers the passkey by itself, where the address would be typed; this
		// one takes it as well.
		w.Press("Sign out").At("/account")
		w.Open("/account/sessions")
		w.Plain().Press("Sign out").At("/login")
		w.Open("/account/security").At("/login").Press("Use a passkey").At("/account/security")
		w.Press("Remove My laptop").Press("Remove").Sees("The passkey was removed")
		w.Press("Sign out").Click("Use a passkey")
		w.Sees("The passkey was not accepted")
	})
}

// Whoever comes back to the page to log in when the challenge has expired is offered
// passkeys by another.
func TestPasskeysAreOfferedAnew(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		w.Authenticator()
		w.Open("/login")
		asked := func(n int) {
			w.Eventually(fmt.Sprintf("%d challenges", n), func() (bool, error) {
				return browser.Evaluate[bool](w, fmt.Sprintf(`performance.getEntriesByType("resource").filter(e => e.name.endsWith("/login/passkey/options")).length === %d`, n))
			})
		}
		asked(1)
		_, err := browser.Evaluate[bool](w, `(() => {
			const now = Date.now;
			Date.now = () => now() + 6 * 60 * 1000;
			return document.dispatchEvent(new Event("visibilitychange"));
		})()`)
		w.Must(err)
		asked(2)
	})
}

// A passkey answers a password's second step as well.
func TestPasskeyAsSecondFactor(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at).Plain()
		w.Authenticator()
		p := instance.Newcomer()
		w.Register(p).Open("/account/security").Press("Add an authenticator app")
		w.Fill("Code", instance.TOTP(t, otpSecret(w), 0)).Press("Enable").Press("I saved my codes")
		w.Press("Add a passkey").Sees("Passkey added").Press("Sign out")
		arrive(w, p).At("/login/factor").Press("Passkey").Press("Use a passkey").At("/account")
	})
}

func TestPasskeyInsteadOfPassword(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		w.Authenticator()
		p := instance.Newcomer()
		w.Open("/signup").Fill("Name", "Ada Lovelace").Fill("Email address", p.Email).Press("Use a passkey instead").At("/account").Sees(p.Email)
	})
}

func TestKeyboardOnly(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		p := at.SignUp()
		w := browser.NewTab(t, at)
		w.Open("/login")
		w.Keys(p.Email + kb.Tab + p.Password).Enter().At("/account")
		w.Keys(kb.Tab)
		if focus, _ := browser.Evaluate[string](w, `document.activeElement.innerText`); focus != "Skip to content" {
			t.Errorf("the first stop is %q", focus)
		}
		w.Keys(kb.Tab + kb.Tab + kb.Tab)
		w.Enter().At("/login").Sees("You are signed out")
	})
}

func TestWithoutJavaScript(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		w.Scripts(false)
		w.Open("/login").Sees("Passkeys need JavaScript.")
		p := instance.Newcomer()
		w.Register(p)
		w.Open("/account/profile/name").Fill("Name", "Grace Hopper").Press("Save").Sees("Grace Hopper")
		w.Open("/account/keys/new").Fill("Name", "backup").Press("Create API key").Sees("won't be shown again")
		key := w.Shown("#made")
		if who := at.Do(instance.Call{Command: "USER.ME", Token: key}); who.Text("email") != p.Email {
			t.Errorf("the key is that of %s", who.Body)
		}
		w.Open("/account/keys")
		if strings.Contains(w.Text(), key) {
			t.Error("the key is shown again")
		}
		w.Press("Revoke backup").Sees("stop working immediately").Press("Cancel").At("/account/keys")
		at.Do(instance.Call{Command: "USER.ME", Token: key}).OK()
		w.Press("Revoke backup").Press("Revoke").Sees("The API key was revoked")
		at.Do(instance.Call{Command: "USER.ME", Token: key}).Fails("AUTH_ERROR")
		arrive(w.Press("Sign out"), p).At("/account")
	})
}

func TestRevokeAnotherSession(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		p := instance.Newcomer()
		here, there := browser.NewTab(t, at), browser.NewTab(t, at)
		here.Register(p)
		arrive(there, p).At("/account")
		here.Open("/account/sessions").Press("Sign out Chrome on Linux").Sees("The session was signed out")
		there.Open("/account/security").At("/login").Sees("You were signed out")
		there.Fill("Email address", p.Email).Fill("Password", p.Password).Press("Sign in").At("/account/security")
		here.Open("/account/sessions").Press("Sign out everywhere else").Sees("1 other session")
		there.Open("/account").At("/login")
		here.Open("/account").At("/account")
	})
}

// posted waits for a letter to an address, and returns the link in it.
func posted(t *testing.T, post *mailbox.Server, address, page string) string {
	t.Helper()
	link := regexp.MustCompile(`https?://\S*` + page + `\?token=\S+`)
	for deadline := time.Now().Add(browser.Patience); time.Now().Before(deadline); {
		for _, letter := range post.Letters() {
			if found := link.FindString(letter.Text); letter.To == address && found != "" {
				return found
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test is over")
		case <-time.After(instance.Poll):
		}
	}
	t.Fatalf("no mail to %s with a link to %s", address, page)
	return ""
}

func TestResetPasswordByMail(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		post := mailbox.Start(t, mailbox.Options{})
		at := browser.House(t, on, "SMTP_URL="+post.URL(), "MAIL_FROM=Gatehouse <gatehouse@example.com>")
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Sees("Not confirmed")
		w.Open(posted(t, post, p.Email, "/verify")).Press("Confirm address").At("/account").Sees("Your address is confirmed.")
		if strings.Contains(w.Text(), "Not confirmed") {
			t.Error("the address is not confirmed")
		}
		w.Press("Sign out").Press("Forgot your password?").Fill("Email address", p.Email).Press("Send link").Sees(p.Email)
		w.Open(posted(t, post, p.Email, "/recover")).Fill("New password", "password").Press("Change password").Sees("most common passwords")
		p.Password = "an entirely new phrase"
		w.Fill("New password", p.Password).Press("Change password").At("/login").Sees("Your password was changed")
		arrive(w, p).At("/account")
	})
}

// Who lost the second factor comes back by a recovery code, and removes it.
func TestLostFactor(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at).Plain()
		device := w.Authenticator()
		p := instance.Newcomer()
		w.Register(p).Open("/account/security").Press("Add an authenticator app")
		w.Fill("Code", instance.TOTP(t, otpSecret(w), 0)).Press("Enable").Sees("won't be shown again")
		recovery := w.Shown("ul.codes li code")
		w.Press("I saved my codes").Press("Add a passkey").Sees("Passkey added").Press("Sign out")
		w.Lost(device)
		arrive(w, p).At("/login/factor").Press("Recovery code").Fill("Code", recovery).Press("Verify").At("/account")
		w.Open("/account/security").Press("Remove Authenticator app").Press("Remove").Sees("The second factor was removed")
		w.Press("Remove Chrome on Linux").Press("Remove").Sees("The passkey was removed").Press("Sign out")
		arrive(w, p).At("/account")
	})
}

func TestSocialLogin(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		providers := upstream.StartAll(t)
		at := browser.House(t, on, upstream.Environment(providers)...)
		for _, name := range upstream.Names() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				label := map[string]string{upstream.Google: "Google", upstream.GitHub: "GitHub", upstream.Discord: "Discord"}[name]
				address := "ada." + name + "@example.com"
				providers[name].Be(upstream.Person{ID: "4711", Email: address, Verified: true, Name: "Ada Lovelace"})
				w := browser.NewTab(t, at)
				w.Open("/account/sessions").At("/login").Press("Continue with " + label).At("/account/sessions")
				w.Open("/account").Sees(address).Sees("Confirmed")
				w.Open("/account/connections").Sees(address)
				w.Press("Unlink " + label).Press("Unlink").Sees("only way to sign in")
				w.Press("Sign out").Press("Continue with " + label).At("/account").Sees(address).Press("Sign out")
				providers[name].Switch(upstream.Switches{Declined: true})
				w.Press("Continue with " + label).At("/login").Sees("canceled")
			})
		}
	})
}

func TestLinkAccount(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		provider := upstream.Start(t, upstream.GitHub)
		provider.Be(upstream.Person{ID: "815", Email: "other@example.net", Verified: true, Name: "Ada"})
		at := browser.House(t, on, provider.Environment()...)
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Open("/account/connections").Press("Link GitHub").At("/account/connections").Sees("The account was linked.").Sees("other@example.net")
		w.Press("Sign out").Press("Continue with GitHub").At("/account").Sees(p.Email)
		w.Open("/account/connections").Press("Unlink GitHub").Press("Unlink").Sees("The account was unlinked.").Sees("Not linked")
	})
}
