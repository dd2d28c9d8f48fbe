package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse.internal/test/fake/upstream"
)

// screens is where pictures of all pages go; `make screens` sets it.
var screens = flag.String("screens", "", "directory for pictures of all pages")

// mode is a kind of screen.
type mode struct {
	name          string
	width, height int64
	dark, touch   bool
}

func modes() []mode {
	return []mode{
		{"desktop-light", 1200, 800, false, false},
		{"desktop-dark", 1200, 800, true, false},
		{"phone-light", 390, 844, false, true},
		{"phone-dark", 390, 844, true, true},
	}
}

// put makes the tab a kind of screen.
func (w *tab) put(m mode) {
	w.t.Helper()
	var options []chromedp.EmulateViewportOption
	if m.touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	}
	w.do(chromedp.EmulateViewport(m.width, m.height, options...))
	scheme := "light"
	if m.dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	w.must(err)
}

// picture looks at the page that is shown on every kind of screen: it must fit,
// and what can be used must have a name, and texts must be easy to read. A picture is kept where one is wanted.
func (w *tab) picture(name string) {
	w.t.Helper()
	for _, m := range modes() {
		if *screens == "" && m.dark != m.touch {
			continue // a bright desktop and a dark phone show every width and every colour
		}
		w.put(m)
		faint, err := evaluate[[]string](w, faintText)
		w.must(err)
		if len(faint) > 0 {
			w.t.Errorf("%s is hard to read on %s: %s", name, m.name, strings.Join(faint, "; "))
		}
		vague, err := evaluate[[]string](w, faintEdges)
		w.must(err)
		if len(vague) > 0 {
			w.t.Errorf("%s has controls that are hard to see on %s: %s", name, m.name, strings.Join(vague, "; "))
		}
		over, err := evaluate[int](w, tooWide)
		w.must(err)
		if over > 0 {
			w.t.Errorf("%s is %d pixels too wide on %s", name, over, m.name)
		}
		if *screens == "" {
			continue
		}
		shot, err := chromedp.Run(w.ctx, chromedp.FullScreenshot(100))
		w.must(err)
		path := filepath.Join(*screens, fmt.Sprintf("%s-%s.png", name, m.name))
		if err := os.WriteFile(path, shot, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	w.put(modes()[0])
	nameless, err := evaluate[[]string](w, unnamed)
	w.must(err)
	if len(nameless) > 0 {
		w.t.Errorf("%s has parts that a screen reader cannot name: %s", name, strings.Join(nameless, "; "))
	}
	w.accessible(name)
}

// tooWide returns how far the page, or a link or button of it, reaches beyond the screen.
const tooWide = `(() => {
	const ends = [...document.querySelectorAll("a, button")].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().right);
	return Math.floor(Math.max(document.documentElement.scrollWidth, ...ends) - document.documentElement.clientWidth);
})()`

// unnamed lists what is used and has no name, and headings that skip a level or
// stand there twice.
const unnamed = `(() => {
	const wrong = [];
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, summary")) {
		if (e.ariaHidden === "true" || !e.checkVisibility()) continue;
		const name = e.ariaLabel || (e.labels?.length ? e.labels[0].innerText : e.innerText) || "";
		if (!name.trim()) wrong.push(e.outerHTML.slice(0, 100));
	}
	for (const e of document.querySelectorAll("img:not([alt])")) wrong.push(e.outerHTML.slice(0, 100));
	if (document.querySelectorAll("h1").length !== 1) wrong.push("not exactly one h1");
	if (!document.querySelector("main")) wrong.push("no main");
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => wrong.push("the id " + id + " twice"));
	return wrong;
})()`

// contrasts are what both scripts below measure by.
const contrasts = `
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const paint = colour => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = colour;
		canvas.fillRect(0, 0, 1, 1);
		return canvas.getImageData(0, 0, 1, 1).data;
	};
	const painted = {};
	const rgba = colour => painted[colour] ??= paint(colour);
	const luminance = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = e => {
		for (; e; e = e.parentElement) {
			const found = rgba(getComputedStyle(e).backgroundColor);
			if (found[3] === 255) return found;
		}
		return [255, 255, 255];
	};
	const contrast = (x, y) => {
		const [a, b] = [luminance(x), luminance(y)].sort((x, y) => y - x);
		return (a + 0.05) / (b + 0.05);
	};
`

// faintText lists texts whose contrast is below that of WCAG 2.2, level AA.
const faintText = `(() => {` + contrasts + `
	const faint = [];
	for (const e of document.body.querySelectorAll("*")) {
		const said = [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data.trim()).join("");
		if (!said || !e.checkVisibility() || e.closest("svg, noscript")) continue;
		const ratio = contrast(rgba(getComputedStyle(e).color), ground(e));
		const needed = parseFloat(getComputedStyle(e).fontSize) >= 24 ? 3 : 4.5;
		if (ratio < needed) faint.push(said.slice(0, 30) + " " + ratio.toFixed(2));
	}
	return faint;
})()`

// faintEdges lists controls whose edge alone tells them from what is around them, and
// is hard to see (WCAG 2.2, 1.4.11).
const faintEdges = `(() => {` + contrasts + `
	const vague = [];
	for (const e of document.querySelectorAll("button, .button, input:not([type=checkbox]), select, textarea")) {
		const style = getComputedStyle(e), edge = rgba(style.borderTopColor);
		if (!e.checkVisibility() || e.classList.contains("vh") || e === document.activeElement) continue;
		if (parseFloat(style.borderTopWidth) === 0 || edge[3] < 255) continue;
		const ratio = contrast(edge, ground(e.parentElement));
		if (ratio < 3) vague.push((e.innerText || e.name || e.outerHTML).slice(0, 30) + " " + ratio.toFixed(2));
	}
	return vague;
})()`

// Every page fits on every kind of screen, can be told by a screen reader, and does
// nothing that its own policy forbids.
func TestEveryPageFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on, upstream.Environment(upstream.StartAll(t))...)
		w := newTab(t, at)
		device := w.authenticator()
		w.open("/nothing/here").sees("Page not found").picture("nowhere")
		w.open("/login").picture("login")
		w.fill("E-mail address", "ada@example.com").fill("Password", "wrong wrong wrong").press("Sign in").picture("login-refused")
		w.open("/signup").picture("signup")
		w.open("/recover").picture("recover")
		w.fill("E-mail address", "nobody@example.com").press("Send the link").picture("recover-sent")
		w.open("/recover?token=none").picture("recover-expired")
		w.open("/login").fill("E-mail address", "nobody@example.com").press("E-mail me a code instead").picture("login-code")
		p := newcomer()
		w.register(p).picture("account")
		w.open("/account/profile/name").picture("name")
		w.open("/account/profile/email").picture("email")
		w.open("/account/profile/delete").picture("delete")
		w.open("/account/confirm").picture("confirm")
		w.open("/account/security").picture("security-empty")
		w.press("Add a passkey").sees("Passkey added")
		w.press("Add an authenticator app").picture("totp")
		secret := w.otpSecret()
		w.fill("Code", totp(t, secret, 0)).press("Turn on").picture("recovery-codes")
		w.press("I have kept them").picture("security")
		w.press("Remove Authenticator app").picture("remove-factor")
		w.open("/account/security").press("Make new codes").picture("new-codes")
		w.open("/account/security/password").picture("password")
		w.open("/account/sessions").picture("sessions")
		w.open("/account/connections").picture("connections")
		w.open("/account/keys/new").picture("key-new")
		w.fill("Name", "Nightly backup").press("Make the key").picture("keys")
		w.press("Revoke Nightly backup").picture("revoke-key")
		w.open("/account/notices").picture("notices")
		w.open("/account/notices/mail").picture("notices-mail")
		w.open("/account/nowhere").picture("not-found")
		w.open("/logout").picture("logout")
		w.lost(device)
		w.press("Sign out").sees("You are signed out")
		w.fill("E-mail address", p.email).fill("Password", p.password).press("Sign in").at("/login/factor").picture("factor")
		w.press("Recovery code").picture("factor-recovery")

		admin, grace := at.admin(), at.signUp()
		for _, action := range []string{"enroll_mfa", "verify_email"} {
			at.as(admin, "USER.SET_REQUIRED_ACTIONS", P{"user_id": grace.id, "actions": []string{action}}).ok()
			w.arrive(grace).at("/login/required").picture("required-" + action)
		}
		ticket := at.as(admin, "USER.TICKET_CREATE", P{"user_id": grace.id, "purpose": "login"})
		w.open(ticket.text("url")).picture("link")
		ticket = at.as(admin, "USER.TICKET_CREATE", P{"user_id": grace.id, "purpose": "password_reset"})
		w.open(ticket.text("url")).picture("reset")
		ticket = at.as(admin, "USER.TICKET_CREATE", P{"user_id": grace.id, "purpose": "email_verify"})
		w.open(ticket.text("url")).picture("verify")
		w.open("/invitation?token=none").picture("invitation-expired")
		at.as(admin, "USER.SET_REQUIRED_ACTIONS", P{"user_id": grace.id, "actions": []string{}}).ok()
		at.as(admin, "USER.SET_PASSWORD", P{"user_id": grace.id, "password": "a temporary phrase", "temporary": true}).ok()
		grace.password = "a temporary phrase"
		w.arrive(grace).at("/login/required").picture("required-change_password")
		at.as(admin, "POLICY.SET", P{"kind": "risk", "values": P{"new_device": 80}}).ok()
		suspect, seen := newTab(t, at), at.signUp()
		suspect.arrive(seen).open("/account/sessions/sign-ins").sees("High risk").picture("sign-ins")
		suspect.open("/account/notices").sees("Was this sign-in yours?").picture("notices-risk")
		suspect.press("See your sign-ins").find("the question", `all => all.find(e => (e.ariaLabel || "").startsWith("It was not me"))`)
		suspect.follow().sees("Was it not you?").picture("sign-in-not-mine")
		at.as(admin, "IMPERSONATION.START", P{"user_id": seen.id, "reason": "Ticket 4711", "read_only": true}).ok()
		suspect.open("/account/sessions/support").sees("Ticket 4711").picture("support")
		at.as(admin, "SETTINGS.SET", P{"values": P{"public_registration": false}}).ok()
		w.open("/signup").sees("by invitation").picture("signup-closed")
	})
}

// The pages of a development instance: an account, its mail, and a command are a few
// clicks away from the address alone.
func TestDevelopmentPages(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		w := newTab(t, at)
		p := newcomer()
		w.open("/").sees("Your development instance").sees(adminEmail).sees("Nothing was sent yet").picture("dev-start")
		w.press("Create an account").at("/signup").register(p)
		w.open("/dev/mail").sees(p.email).picture("dev-mail")
		w.press("Confirm your e-mail address").picture("dev-letter")
		w.press("Open the link").at("/verify").press("Confirm address").sees("Your address is confirmed.")
		w.press("Sign out").open("/").press("Sign in as superadmin").at("/").sees("Superadmin").sees(p.email).picture("dev-start-superadmin")
		w.press("Commands").at("/dev/commands").picture("dev-commands")
		w.fill("Search commands", "list sessions").eventually("fewer commands", func() (bool, error) {
			return !strings.Contains(w.text(), "APP.REGISTER") && strings.Contains(w.text(), "SESSION.LIST"), nil
		})
		w.press("SESSION.LIST").press("Run").sees("OK").sees("\"current\": true").picture("dev-command-ran")
		w.open("/dev/commands/APP.REGISTER").press("Fill in the example").picture("dev-command")
		w.open("/dev/commands/USER.GET").fill("user_id", "nobody").press("Run").sees("VALIDATION_ERROR").picture("dev-command-refused")
	})
}

// Whatever colors are set, texts can be read, on pages before and after the login.
func TestEveryLookFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		admin := at.admin()
		w := newTab(t, at)
		p := newcomer()
		w.register(p)
		for name, look := range map[string]P{
			"modest": {"name": "Acme & Sons", "support_email": "help@acme.example", "colors": P{"primary": "#0a6847", "primary_dark": "#7ee2b8", "background": "#eef6f1"}},
			"loud": {"name": "Sunny Side of the Street and Its Many Neighbours", "colors": P{
				"primary": "#ffdd00", "background": "#102a83", "primary_dark": "#333333", "background_dark": "#ff8800",
			}},
			"gray": {"name": "G", "support_email": "help@acme.example", "colors": P{"primary": "#777777", "background": "#777777", "background_dark": "#777777"}},
		} {
			at.as(admin, "BRANDING.SET", look).ok()
			w.open("/recover").sees(look["name"].(string)).picture("look-" + name + "-recover")
			w.open("/account").sees(look["name"].(string)).picture("look-" + name + "-account")
		}
	})
}
