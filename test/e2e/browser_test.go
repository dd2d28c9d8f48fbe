package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	pageevents "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a page may take on a busy machine.
const patience = 2 * time.Minute

// chromium is one Chromium for the whole process; each tab of a test has cookies
// of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1200, 800), chromedp.Flag("lang", "en"),
		// No process is kept in reserve for pages to come, nor for pages left behind.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess,BackForwardCache"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("start Chromium (make setup installs it): %w", err)
	}
	return ctx, nil
})

// started reports whether a test has asked for Chromium.
var started atomic.Bool

// closeChromium ends Chromium, if a test has started it.
func closeChromium() {
	if started.Load() {
		if ctx, err := chromium(); err == nil {
			_ = chromedp.Cancel(ctx)
		}
	}
}

// house is an instance for people with browsers: a development instance under the
// address that browsers know it by, with passkeys for it.
func house(t *testing.T, on store, variables ...string) *replica {
	t.Helper()
	for range 5 {
		port := freePort(t)
		address := "http://localhost:" + strconv.Itoa(port)
		s := plan(t, on.database(t), "PORT="+strconv.Itoa(port), "SERVICE_HOST="+address, "TRUSTED_PROXIES=")
		s.set(variables...)
		r := begin(t, s.secrets, s.directory, s.environment, "dev")
		if r.becomesReady() {
			r.url = address
			t.Cleanup(func() { stop(r) })
			return r
		}
		if !strings.Contains(r.log.String(), "address already in use") {
			t.Fatalf("gatehouse dev did not become ready (%v):\n%s", r.ended, r.log.String())
		}
	}
	t.Fatal("no free port")
	return nil
}

// tab is a tab of Chromium that nobody else shares cookies with.
type tab struct {
	t    *testing.T
	ctx  context.Context
	home string

	mu sync.Mutex
	// complaints are what the console says of the pages: errors of scripts, and
	// what their policy did not let them do.
	complaints []string
}

func newTab(t *testing.T, at *replica) *tab {
	t.Helper()
	started.Store(true)
	browser, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, stopWaiting := context.WithTimeout(ctx, 15*time.Minute)
	w := &tab{t: t, ctx: ctx, home: at.url}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the tab was at %s and showed:\n%s", w.address(), w.text())
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, said := range w.complaints {
			t.Errorf("the console said: %s", said)
		}
		stopWaiting()
		cancel()
	})
	w.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		return chromedp.Listen(w.ctx, w.hear)
	}))
	_, err = chromedp.Call(w.ctx, log.Enable, cdp.Empty{})
	w.must(err)
	return w
}

func (w *tab) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = "exception: " + e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		// A form that is refused answers 422, which the console calls an error.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			said = e.Entry.Text
		}
	}
	if said != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.complaints = append(w.complaints, said)
	}
}

func (w *tab) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("the browser: %v", err)
	}
}

func (w *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	w.must(chromedp.Do(w.ctx, steps...))
}

// open goes to a path of the instance, or to an address.
func (w *tab) open(path string) *tab {
	w.t.Helper()
	if !strings.Contains(path, "://") {
		path = w.home + path
	}
	w.do(chromedp.Navigate(path))
	return w
}

// eventually waits until something holds.
func (w *tab) eventually(what string, holds func() (bool, error)) {
	w.t.Helper()
	var last error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		ok, err := holds()
		if ok {
			return
		}
		last = err
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("%s: %v", what, errors.Join(w.ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
	w.t.Fatalf("%s did not come (%v)", what, last)
}

func evaluate[T any](w *tab, expression string) (T, error) {
	return chromedp.Run(w.ctx, chromedp.Evaluate[T](expression))
}

// text is what the page shows; "" while there is none.
func (w *tab) text() string {
	text, _ := evaluate[string](w, `document.body ? document.body.innerText : ""`)
	return text
}

func (w *tab) address() string {
	address, _ := evaluate[string](w, `location.href`)
	return address
}

// sees waits until the page shows a text.
func (w *tab) sees(text string) *tab {
	w.t.Helper()
	w.eventually(fmt.Sprintf("%q", text), func() (bool, error) { return strings.Contains(w.text(), text), nil })
	return w
}

// at waits until the tab is at a path.
func (w *tab) at(path string) *tab {
	w.t.Helper()
	w.eventually("the page "+path, func() (bool, error) {
		here, err := url.Parse(w.address())
		return err == nil && here.Path == path && strings.HasPrefix(w.address(), w.home), err
	})
	return w
}

// find marks the one element that a script finds among the visible ones, for
// other steps to take.
func (w *tab) find(what, script string) {
	w.t.Helper()
	w.eventually(what, func() (bool, error) {
		return evaluate[bool](w, `(() => {
			document.querySelectorAll("[data-found]").forEach(e => e.removeAttribute("data-found"));
			const shown = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(e => e.checkVisibility());
			const found = (`+script+`)(shown);
			if (!found) return false;
			found.setAttribute("data-found", "");
			return true;
		})()`)
	})
}

const found = chromedp.CSS("[data-found]")

// follow clicks what was found, and waits for the page that follows.
func (w *tab) follow() *tab {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(pageevents.LoadEventFired, nil, chromedp.Click(found))); err != nil {
		w.t.Fatalf("no page followed a click: %v", err)
	}
	return w
}

// fill types into the field with a label, as a screen reader names it.
func (w *tab) fill(label, text string) *tab {
	w.t.Helper()
	w.find("the field "+label, `all => all.find(e => e.labels && [...e.labels].some(l => l.innerText.trim().startsWith(`+quoted(label)+`)))`)
	// Not by SendKeys, which reads attributes while chromedp writes them. The text comes
	// in one piece, as from a password manager.
	_, err := evaluate[bool](w, `(() => {
		const field = document.querySelector("[data-found]");
		field.value = "";
		field.focus();
		return true;
	})()`)
	w.must(err)
	_, err = chromedp.Call(w.ctx, input.InsertText, input.InsertTextParams{Text: text})
	w.must(err)
	return w
}

// tick ticks the box with a label.
func (w *tab) tick(label string) *tab {
	w.t.Helper()
	w.find("the box "+label, `all => all.find(e => (e.type === "checkbox" || e.type === "radio") && [...e.labels].some(l => l.innerText.trim().startsWith(`+quoted(label)+`)))`)
	w.do(chromedp.Click(found))
	return w
}

// aim finds the button or link of a name.
func (w *tab) aim(name string) {
	w.t.Helper()
	w.find("the button "+name, `all => all.find(e => (e.ariaLabel || e.innerText || "").trim() === `+quoted(name)+`)`)
}

// press clicks a button or link, and waits for the page that follows.
func (w *tab) press(name string) *tab {
	w.t.Helper()
	w.aim(name)
	return w.follow()
}

// click clicks what leads to no other page.
func (w *tab) click(name string) *tab {
	w.t.Helper()
	w.aim(name)
	w.do(chromedp.Click(found))
	return w
}

// keys types on the keyboard, wherever the focus is.
func (w *tab) keys(text string) *tab {
	w.t.Helper()
	w.do(chromedp.KeyEvent(text))
	return w
}

// enter presses Enter and waits for the page that follows.
func (w *tab) enter() *tab {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(pageevents.LoadEventFired, nil, chromedp.KeyEvent(kb.Enter))); err != nil {
		w.t.Fatalf("no page followed Enter: %v", err)
	}
	return w
}

// attribute is that of an element.
func (w *tab) attribute(css, name string) string {
	w.t.Helper()
	value, err := evaluate[string](w, `document.querySelector(`+quoted(css)+`).getAttribute(`+quoted(name)+`) || ""`)
	w.must(err)
	return value
}

// shown is the text of an element.
func (w *tab) shown(css string) string {
	w.t.Helper()
	text, err := evaluate[string](w, `document.querySelector(`+quoted(css)+`).textContent.trim()`)
	w.must(err)
	return text
}

// count is how many elements there are.
func (w *tab) count(css string) int {
	w.t.Helper()
	n, err := evaluate[int](w, `document.querySelectorAll(`+quoted(css)+`).length`)
	w.must(err)
	return n
}

// authenticator adds to the tab a device that holds passkeys and knows its owner.
func (w *tab) authenticator() webauthn.AuthenticatorID {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, webauthn.Enable, webauthn.EnableParams{})
	w.must(err)
	added, err := chromedp.Call(w.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	})
	w.must(err)
	return added.AuthenticatorID
}

// lost takes the device away again.
func (w *tab) lost(device webauthn.AuthenticatorID) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, webauthn.RemoveVirtualAuthenticator, webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: device})
	w.must(err)
}

// plain makes the browser one that offers no passkeys by itself.
func (w *tab) plain() *tab {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, pageevents.AddScriptToEvaluateOnNewDocument, pageevents.AddScriptToEvaluateOnNewDocumentParams{
		Source: "PublicKeyCredential.isConditionalMediationAvailable = async () => false",
	})
	w.must(err)
	return w
}

// scripts switches JavaScript off, or on again.
func (w *tab) scripts(on bool) *tab {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	w.must(err)
	return w
}

// quoted is a text as JavaScript writes it.
func quoted(text string) string {
	written, _ := json.Marshal(text)
	return string(written)
}
