package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// downloads lets the tab save files, and returns where.
func (w *tab) downloads() string {
	w.t.Helper()
	directory := w.t.TempDir()
	_, err := chromedp.CallBrowser(w.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(w.ctx).BrowserContextID, DownloadPath: directory,
	})
	w.must(err)
	return directory
}

// What a page does for the fingers: it shows a password and how good it is, and lets
// recovery codes be copied and saved. The policy of pages allows all of it.
func TestPagesHelp(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		w := newTab(t, house(t, on))
		saved := w.downloads()
		p := newcomer()
		w.open("/signup").fill("Name", "Ada Lovelace").fill("E-mail address", p.email)
		w.fill("Password", "password").sees("Among the most common passwords.").picture("signup-weak")
		w.fill("Password", p.password).sees("Strong").click("Show password")
		if kind := w.attribute("#password", "type"); kind != "text" {
			t.Errorf("a password that is shown is a field of the type %q", kind)
		}
		w.press("Create account").at("/account").open("/account/security").press("Add an authenticator app")
		w.fill("Code", totp(t, w.otpSecret(), 0)).press("Turn on").sees("not shown again")
		codes, err := evaluate[[]string](w, `[...document.querySelectorAll("ul.codes code")].map(e => e.textContent)`)
		w.must(err)
		_, err = evaluate[bool](w, `navigator.clipboard.writeText = async text => { window.copied = text }, true`)
		w.must(err)
		w.click("Copy").sees("Copied")
		if copied, err := evaluate[string](w, "window.copied"); err != nil || !slices.Equal(strings.Fields(copied), codes) {
			t.Errorf("copied is %q, %v", copied, err)
		}
		w.click("Download").eventually("the file", func() (bool, error) {
			text, err := os.ReadFile(filepath.Join(saved, "recovery-codes.txt"))
			return err == nil && len(codes) == 10 && strings.Contains(string(text), strings.Join(codes, "\n")), err
		})
	})
}

// Who clicks twice sends once: the answer to the second would hide the first, and the
// secrets in it.
func TestClickedTwice(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		w := newTab(t, house(t, on)).open("/recover")
		w.find("the address", `all => all.find(e => e.name === "email")`)
		sent, err := evaluate[int](w, `(() => {
			let sent = 0;
			document.addEventListener("submit", e => { sent += e.defaultPrevented ? 0 : 1; e.preventDefault(); });
			const form = document.querySelector("form");
			form.elements.email.value = "ada@example.com";
			form.requestSubmit();
			form.requestSubmit();
			return sent;
		})()`)
		w.must(err)
		if sent != 1 {
			t.Errorf("two clicks sent the form %d times", sent)
		}
	})
}
