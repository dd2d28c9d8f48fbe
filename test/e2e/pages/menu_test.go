package pages_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// within reports whether an element is shown, as a whole, on the screen.
func within(w *browser.Tab, script string) bool {
	w.T.Helper()
	inside, err := browser.Evaluate[bool](w, `(e => {
		if (!e || !e.checkVisibility()) return false;
		const { left, top, right, bottom } = e.getBoundingClientRect();
		return left >= 0 && top >= 0 && right <= document.documentElement.clientWidth && bottom <= innerHeight;
	})(`+script+`)`)
	w.Must(err)
	return inside
}

// focused returns the text of what the keyboard is at.
func focused(w *browser.Tab) string {
	w.T.Helper()
	text, err := browser.Evaluate[string](w, `document.activeElement.innerText.trim()`)
	w.Must(err)
	return text
}

const places = `document.querySelector("#places")`

// On a phone, also on its side, the navigation is folded. It opens and closes by keyboard and
// by touch, and all of it can be reached.
func TestTheNavigationFoldsOnPhones(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		w.Register(instance.Newcomer())
		if !within(w, places) {
			t.Error("the navigation is folded on a desktop")
		}
		for _, m := range []browser.Mode{browser.Modes()[2], {Name: "a phone on its side", Width: 660, Height: 340, Touch: true}} {
			for path, name := range map[string]string{"/account/profile/name": "Profile", "/dev/mail": "Start"} {
				w.Put(m)
				w.Open(path)
				if within(w, places) {
					t.Fatalf("the navigation is open on %s", m.Name)
				}
				if _, err := browser.Evaluate[bool](w, `[...document.querySelectorAll("header button")].at(-1).focus() || true`); err != nil {
					t.Fatal(err)
				}
				w.Keys(kb.Tab)
				if got := focused(w); got != "Menu" {
					t.Errorf("after the header, the keyboard is at %q on %s", got, m.Name)
				}
				w.Keys(kb.Enter)
				w.Eventually("the navigation", func() (bool, error) { return within(w, places), nil })
				w.Keys(kb.Tab)
				if got := focused(w); got != name {
					t.Errorf("in the navigation, the keyboard is at %q, want %q on %s", got, name, m.Name)
				}
				for range w.Count("#places a") - 1 {
					w.Keys(kb.Tab)
				}
				if !within(w, `document.activeElement.matches("#places li:last-child a") ? document.activeElement : null`) {
					t.Errorf("the last place cannot be reached on %s: the keyboard is at %q", m.Name, focused(w))
				}
				w.Keys(kb.Escape)
				w.Eventually("the end of the navigation", func() (bool, error) { return !within(w, places), nil })
				if got := focused(w); got != "Menu" {
					t.Errorf("after Escape, the keyboard is at %q on %s", got, m.Name)
				}
			}
		}
		w.Put(browser.Modes()[2])
		w.Open("/account").Click("Menu").Press("Security").At("/account/security")
		if within(w, places) {
			t.Error("the navigation is open on the next page")
		}
		w.Click("Menu").Picture("menu")
		w.Open("/dev/mail").Put(browser.Modes()[2])
		w.Click("Menu").Picture("dev-menu")
	})
}
