package e2e_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	bigendian "encoding/binary"
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

	"gatehouse.internal/test/fake/mailbox"
	"gatehouse.internal/test/fake/upstream"
)

// register makes an account by the page.
func (w *tab) register(p person) *tab {
	w.t.Helper()
	w.open("/signup").fill("Name", "Ada Lovelace").fill("E-mail address", p.email).fill("Password", p.password)
	return w.press("Create account").at("/account")
}

// arrive logs in by password.
func (w *tab) arrive(p person) *tab {
	w.t.Helper()
	return w.open("/login").fill("E-mail address", p.email).fill("Password", p.password).press("Sign in")
}

// otpSecret is what an authenticator app reads with its camera: the secret in the QR
// code, as Chromium paints it.
func (w *tab) otpSecret() string {
	w.t.Helper()
	shot, err := chromedp.Run(w.ctx, chromedp.Screenshot(chromedp.CSS("img.qr")))
	w.must(err)
	seen, err := png.Decode(bytes.NewReader(shot))
	w.must(err)
	const frame = 4 // the line around it, in pixels
	inner := seen.Bounds().Inset(frame)
	code := image.NewRGBA(image.Rectangle{Max: inner.Size()})
	draw.Draw(code, code.Bounds(), seen, inner.Min, draw.Src)
	dots, err := gozxing.NewBinaryBitmapFromImage(code)
	w.must(err)
	// Its search for a code within a picture misses one in ten; here is nothing else.
	alone := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true}
	read, err := qrcode.NewQRCodeReader().Decode(dots, alone)
	if err != nil {
		w.t.Fatalf("no QR code can be read in %v: %v", seen.Bounds(), err)
	}
	address, err := url.Parse(read.GetText())
	w.must(err)
	if address.Scheme != "otpauth" || address.Host != "totp" {
		w.t.Errorf("the QR code is for %q", read.GetText())
	}
	return address.Query().Get("secret")
}

// totp is the code of an authenticator app (RFC 6238), some steps from now.
func totp(t *testing.T, secret string, steps int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatalf("the secret %q is no base32: %v", secret, err)
	}
	mac := hmac.New(sha1.New, key)
	_ = bigendian.Write(mac, bigendian.BigEndian, time.Now().Unix()/30+steps)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", bigendian.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}

func TestSignUpLogInLogOut(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		p := newcomer()
		w.register(p).sees("Welcome").sees(p.email)
		w.press("Sign out").at("/login").sees("You are signed out")
		w.open("/account").at("/login")
		w.open("/account/sessions").fill("E-mail address", p.email).fill("Password", "not the password").press("Sign in").sees("Wrong e-mail address or password.")
		if got := w.attribute("#email", "value"); got != p.email {
			t.Errorf("the address is %q after a refusal", got)
		}
		if got := w.attribute("#password", "value"); got != "" {
			t.Errorf("the password %q came back", got)
		}
		w.fill("Password", p.password).press("Sign in").at("/account/sessions").sees("This one")
		w.open("/login").at("/account")
	})
}

func TestSecondFactorAndRecoveryCode(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		p := newcomer()
		w.register(p).open("/account/security").press("Add an authenticator app")
		secret := w.otpSecret()
		w.fill("Code", "000000").press("Turn on").sees("wrong")
		if w.otpSecret() != secret {
			t.Error("a wrong code made another secret")
		}
		w.fill("Code", totp(t, secret, 0)).press("Turn on").sees("They are not shown again")
		codes := strings.Fields(w.shown("ul.codes"))
		if n := w.count("ul.codes li"); n != 10 {
			t.Errorf("%d recovery codes are shown", n)
		}
		code := w.shown("ul.codes li code")
		w.press("I have kept them").sees("10 codes left")
		if strings.Contains(w.text(), codes[0]) {
			t.Error("the recovery codes are shown again")
		}
		w.open("/account/security/codes").at("/account/security")
		w.press("Sign out")

		w.arrive(p).at("/login/factor").fill("Code", "000000").press("Verify").sees("wrong")
		w.fill("Code", totp(t, secret, 1)).press("Verify").at("/account")
		w.press("Sign out")

		w.arrive(p).at("/login/factor").press("Recovery code").fill("Code", code).press("Verify").at("/account")
		w.open("/account/security").sees("9 codes left").press("Remove Authenticator app").press("Remove")
		w.sees("It was removed").press("Sign out")
		w.arrive(p).at("/account")
	})
}

func TestRememberedBrowser(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		p := newcomer()
		w.register(p).open("/account/security").press("Add an authenticator app")
		secret := w.otpSecret()
		w.fill("Code", totp(t, secret, 0)).press("Turn on").press("I have kept them").press("Sign out")
		w.arrive(p).at("/login/factor").fill("Code", totp(t, secret, 1)).tick("Do not ask again").press("Verify").at("/account")
		w.press("Sign out").arrive(p).at("/account")
		w.open("/account/sessions").sees("Remembered devices")
		w.click("Forget Chrome on Linux").sees("The device was forgotten").press("Sign out")
		w.arrive(p).at("/login/factor")
	})
}

func TestPasskey(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		w.authenticator()
		p := newcomer()
		w.register(p).open("/account/security").press("Add a passkey").sees("Passkey added")
		if n := w.count(`a[href^="/account/security/passkeys/"][href$="/remove"]`); n != 1 {
			t.Fatalf("%d passkeys are shown", n)
		}
		w.find("rename", `all => all.find(e => (e.ariaLabel || "").startsWith("Rename "))`)
		w.follow().fill("Name", "My laptop").press("Save").sees("My laptop")
		// The browser offers the passkey by itself, where the address would be typed; this
		// one takes it as well.
		w.press("Sign out").at("/account")
		w.open("/account/sessions")
		w.plain().press("Sign out").at("/login")
		w.open("/account/security").at("/login").press("Use a passkey").at("/account/security")
		w.press("Remove My laptop").press("Remove").sees("The passkey was removed")
		w.press("Sign out").click("Use a passkey")
		w.sees("The passkey was not accepted")
	})
}

// Whoever comes back to the page to log in when the challenge has expired is offered
// passkeys by another.
func TestPasskeysAreOfferedAnew(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		w.authenticator()
		w.open("/login")
		asked := func(n int) {
			w.eventually(fmt.Sprintf("%d challenges", n), func() (bool, error) {
				return evaluate[bool](w, fmt.Sprintf(`performance.getEntriesByType("resource").filter(e => e.name.endsWith("/login/passkey/options")).length === %d`, n))
			})
		}
		asked(1)
		_, err := evaluate[bool](w, `(() => {
			const now = Date.now;
			Date.now = () => now() + 6 * 60 * 1000;
			return document.dispatchEvent(new Event("visibilitychange"));
		})()`)
		w.must(err)
		asked(2)
	})
}

// A passkey answers a password's second step as well.
func TestPasskeyAsSecondFactor(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at).plain()
		w.authenticator()
		p := newcomer()
		w.register(p).open("/account/security").press("Add an authenticator app")
		w.fill("Code", totp(t, w.otpSecret(), 0)).press("Turn on").press("I have kept them")
		w.press("Add a passkey").sees("Passkey added").press("Sign out")
		w.arrive(p).at("/login/factor").press("Passkey").press("Use your passkey").at("/account")
	})
}

func TestPasskeyInsteadOfPassword(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		w.authenticator()
		p := newcomer()
		w.open("/signup").fill("Name", "Ada Lovelace").fill("E-mail address", p.email).press("Use a passkey, no password").at("/account").sees(p.email)
	})
}

func TestKeyboardOnly(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		p := at.signUp()
		w := newTab(t, at)
		w.open("/login")
		w.keys(p.email + kb.Tab + p.password).enter().at("/account")
		w.keys(kb.Tab)
		if focus, _ := evaluate[string](w, `document.activeElement.innerText`); focus != "Skip to content" {
			t.Errorf("the first stop is %q", focus)
		}
		w.keys(kb.Tab + kb.Tab + kb.Tab)
		w.enter().at("/login").sees("You are signed out")
	})
}

func TestWithoutJavaScript(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at)
		w.scripts(false)
		w.open("/login").sees("Passkeys need JavaScript.")
		p := newcomer()
		w.register(p)
		w.open("/account/profile/name").fill("Name", "Grace Hopper").press("Save").sees("Grace Hopper")
		w.open("/account/keys/new").fill("Name", "backup").press("Make the key").sees("It is not shown again")
		key := w.shown("#made")
		if who := at.do(call{command: "USER.ME", token: key}); who.text("email") != p.email {
			t.Errorf("the key is that of %s", who.body)
		}
		w.open("/account/keys")
		if strings.Contains(w.text(), key) {
			t.Error("the key is shown again")
		}
		w.press("Revoke backup").sees("stops working at once").press("Cancel").at("/account/keys")
		at.do(call{command: "USER.ME", token: key}).ok()
		w.press("Revoke backup").press("Revoke").sees("The key was revoked")
		at.do(call{command: "USER.ME", token: key}).fails("AUTH_ERROR")
		w.press("Sign out").arrive(p).at("/account")
	})
}

func TestRevokeAnotherSession(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		p := newcomer()
		here, there := newTab(t, at), newTab(t, at)
		here.register(p)
		there.arrive(p).at("/account")
		here.open("/account/sessions").press("Sign out Chrome on Linux").sees("The session was signed out")
		there.open("/account/security").at("/login").sees("You were signed out")
		there.fill("E-mail address", p.email).fill("Password", p.password).press("Sign in").at("/account/security")
		here.open("/account/sessions").press("Sign out everywhere else").sees("1 other session")
		there.open("/account").at("/login")
		here.open("/account").at("/account")
	})
}

// posted waits for a letter to an address, and returns the link in it.
func posted(t *testing.T, post *mailbox.Server, address, page string) string {
	t.Helper()
	link := regexp.MustCompile(`https?://\S*` + page + `\?token=\S+`)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		for _, letter := range post.Letters() {
			if found := link.FindString(letter.Text); letter.To == address && found != "" {
				return found
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test is over")
		case <-time.After(poll):
		}
	}
	t.Fatalf("no mail to %s with a link to %s", address, page)
	return ""
}

func TestResetPasswordByMail(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		post := mailbox.Start(t, mailbox.Options{})
		at := house(t, on, "SMTP_URL="+post.URL(), "MAIL_FROM=Gatehouse <gatehouse@example.com>")
		w := newTab(t, at)
		p := newcomer()
		w.register(p).sees("Not confirmed")
		w.open(posted(t, post, p.email, "/verify")).press("Confirm address").at("/account").sees("Your address is confirmed.")
		if strings.Contains(w.text(), "Not confirmed") {
			t.Error("the address is not confirmed")
		}
		w.press("Sign out").press("Forgot your password?").fill("E-mail address", p.email).press("Send the link").sees(p.email)
		w.open(posted(t, post, p.email, "/recover")).fill("New password", "password").press("Change password").sees("most common passwords")
		p.password = "an entirely new phrase"
		w.fill("New password", p.password).press("Change password").at("/login").sees("Your password was changed")
		w.arrive(p).at("/account")
	})
}

// Who lost the second factor comes back by a recovery code, and removes it.
func TestLostFactor(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at).plain()
		device := w.authenticator()
		p := newcomer()
		w.register(p).open("/account/security").press("Add an authenticator app")
		w.fill("Code", totp(t, w.otpSecret(), 0)).press("Turn on").sees("not shown again")
		recovery := w.shown("ul.codes li code")
		w.press("I have kept them").press("Add a passkey").sees("Passkey added").press("Sign out")
		w.lost(device)
		w.arrive(p).at("/login/factor").press("Recovery code").fill("Code", recovery).press("Verify").at("/account")
		w.open("/account/security").press("Remove Authenticator app").press("Remove").sees("It was removed")
		w.press("Remove Chrome on Linux").press("Remove").sees("The passkey was removed").press("Sign out")
		w.arrive(p).at("/account")
	})
}

func TestSocialLogin(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		providers := upstream.StartAll(t)
		at := house(t, on, upstream.Environment(providers)...)
		for _, name := range upstream.Names() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				label := map[string]string{upstream.Google: "Google", upstream.GitHub: "GitHub", upstream.Discord: "Discord"}[name]
				address := "ada." + name + "@example.com"
				providers[name].Be(upstream.Person{ID: "4711", Email: address, Verified: true, Name: "Ada Lovelace"})
				w := newTab(t, at)
				w.open("/account/sessions").at("/login").press("Continue with " + label).at("/account/sessions")
				w.open("/account").sees(address).sees("Confirmed")
				w.open("/account/connections").sees(address)
				w.press("Unlink " + label).press("Unlink").sees("the last way to sign in")
				w.press("Sign out").press("Continue with " + label).at("/account").sees(address).press("Sign out")
				providers[name].Switch(upstream.Switches{Declined: true})
				w.press("Continue with " + label).at("/login").sees("cancelled")
			})
		}
	})
}

func TestLinkAccount(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		provider := upstream.Start(t, upstream.GitHub)
		provider.Be(upstream.Person{ID: "815", Email: "other@example.net", Verified: true, Name: "Ada"})
		at := house(t, on, provider.Environment()...)
		w := newTab(t, at)
		p := newcomer()
		w.register(p).open("/account/connections").press("Link GitHub").at("/account/connections").sees("The account was linked.").sees("other@example.net")
		w.press("Sign out").press("Continue with GitHub").at("/account").sees(p.email)
		w.open("/account/connections").press("Unlink GitHub").press("Unlink").sees("The account was unlinked.").sees("Not linked")
	})
}
