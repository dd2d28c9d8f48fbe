package e2e_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// within reports whether an element is shown, as a whole, on the screen.
func (w *tab) within(script string) bool {
	w.t.Helper()
	inside, err := evaluate[bool](w, `(e => {
		if (!e || !e.checkVisibility()) return false;
		const { left, top, right, bottom } = e.getBoundingClientRect();
		return left >= 0 && top >= 0 && right <= document.documentElement.clientWidth && bottom <= innerHeight;
	})(`+script+`)`)
	w.must(err)
	return inside
}

// focused returns the text of what the keyboard is at.
func (w *tab) focused() string {
	w.t.Helper()
	text, err := evaluate[string](w, `document.activeElement.innerText.trim()`)
	w.must(err)
	return text
}

const places = `document.querySelector("#places")`

// On a phone, also on its side, the navigation is folded. It opens and closes by keyboard and
// by touch, and all of it can be reached.
func TestTheNavigationFoldsOnPhones(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		w := newTab(t, at)
		w.register(newcomer())
		if !w.within(places) {
			t.Error("the navigation is folded on a desktop")
		}
		for _, m := range []mode{modes()[2], {"a phone on its side", 660, 340, false, true}} {
			for path, name := range map[string]string{"/account/profile/name": "Profile", "/dev/mail": "Start"} {
				w.put(m)
				w.open(path)
				if w.within(places) {
					t.Fatalf("the navigation is open on %s", m.name)
				}
				if _, err := evaluate[bool](w, `[...document.querySelectorAll("header button")].at(-1).focus() || true`); err != nil {
					t.Fatal(err)
				}
				w.keys(kb.Tab)
				if got := w.focused(); got != "Menu" {
					t.Errorf("after the header, the keyboard is at %q on %s", got, m.name)
				}
				w.keys(kb.Enter)
				w.eventually("the navigation", func() (bool, error) { return w.within(places), nil })
				w.keys(kb.Tab)
				if got := w.focused(); got != name {
					t.Errorf("in the navigation, the keyboard is at %q, want %q on %s", got, name, m.name)
				}
				for range w.count("#places a") - 1 {
					w.keys(kb.Tab)
				}
				if !w.within(`document.activeElement.matches("#places li:last-child a") ? document.activeElement : null`) {
					t.Errorf("the last place cannot be reached on %s: the keyboard is at %q", m.name, w.focused())
				}
				w.keys(kb.Escape)
				w.eventually("the end of the navigation", func() (bool, error) { return !w.within(places), nil })
				if got := w.focused(); got != "Menu" {
					t.Errorf("after Escape, the keyboard is at %q on %s", got, m.name)
				}
			}
		}
		w.put(modes()[2])
		w.open("/account").click("Menu").press("Security").at("/account/security")
		if w.within(places) {
			t.Error("the navigation is open on the next page")
		}
		w.click("Menu").picture("menu")
		w.open("/dev/mail").put(modes()[2])
		w.click("Menu").picture("dev-menu")
	})
}
