package pages_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// What a page does for the fingers: it shows a password and how good it is, and lets
// recovery codes be copied and saved. The policy of pages allows all of it.
func TestPagesHelp(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		w := browser.NewTab(t, browser.House(t, on))
		saved := w.Downloads()
		p := instance.Newcomer()
		w.Open("/signup").Fill("Name", "Ada Lovelace").Fill("Email address", p.Email)
		w.Fill("Password", "password").Sees("Among the most common passwords.").Picture("signup-weak")
		w.Fill("Password", p.Password).Sees("Strong").Click("Show password")
		if kind := w.Attribute("#password", "type"); kind != "text" {
			t.Errorf("a password that is shown is a field of the type %q", kind)
		}
		w.Press("Create account").At("/account").Open("/account/security").Press("Add an authenticator app")
		w.Fill("Code", instance.TOTP(t, otpSecret(w), 0)).Press("Enable").Sees("won't be shown again")
		codes, err := browser.Evaluate[[]string](w, `[...document.querySelectorAll("ul.codes code")].map(e => e.textContent)`)
		w.Must(err)
		_, err = browser.Evaluate[bool](w, `navigator.clipboard.writeText = async text => { window.copied = text }, true`)
		w.Must(err)
		w.Click("Copy").Sees("Copied")
		if copied, err := browser.Evaluate[string](w, "window.copied"); err != nil || !slices.Equal(strings.Fields(copied), codes) {
			t.Errorf("copied is %q, %v", copied, err)
		}
		w.Click("Download").Eventually("the file", func() (bool, error) {
			text, err := os.ReadFile(filepath.Join(saved, "recovery-codes.txt"))
			return err == nil && len(codes) == 10 && strings.Contains(string(text), strings.Join(codes, "\n")), err
		})
	})
}

// Who clicks twice sends once: the answer to the second would hide the first, and the
// secrets in it.
func TestClickedTwice(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		w := browser.NewTab(t, browser.House(t, on)).Open("/recover")
		w.Find("the address", `all => all.find(e => e.name === "email")`)
		sent, err := browser.Evaluate[int](w, `(() => {
			let sent = 0;
			document.addEventListener("submit", e => { sent += e.defaultPrevented ? 0 : 1; e.preventDefault(); });
			const form = document.querySelector("form");
			form.elements.email.value = "ada@example.com";
			form.requestSubmit();
			form.requestSubmit();
			return sent;
		})()`)
		w.Must(err)
		if sent != 1 {
			t.Errorf("two clicks sent the form %d times", sent)
		}
	})
}
