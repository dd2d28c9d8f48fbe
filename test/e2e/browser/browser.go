// Package browser opens instances in Chromium, clicks through their pages and looks at
// them on every kind of screen.
package browser

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

	"gatehouse.internal/test/e2e/instance"
)

// Patience is how long a page may take on a busy machine.
const Patience = 2 * time.Minute

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

// Close ends Chromium, if a test has started it.
func Close() {
	if started.Load() {
		if ctx, err := chromium(); err == nil {
			_ = chromedp.Cancel(ctx)
		}
	}
}

// House is an instance for people with browsers: a development instance under the
// address that browsers know it by, with passkeys for it.
func House(t *testing.T, on instance.Store, variables ...string) *instance.Replica {
	t.Helper()
	for range 5 {
		port := instance.FreePort(t)
		address := "http://localhost:" + strconv.Itoa(port)
		s := instance.Plan(t, on.Database(t), "PORT="+strconv.Itoa(port), "SERVICE_HOST="+address, "TRUSTED_PROXIES=")
		s.Set(variables...)
		r := instance.Begin(t, s.Secrets, s.Directory, s.Environment, "dev")
		if r.BecomesReady() {
			r.URL = address
			t.Cleanup(func() { instance.Stop(r) })
			return r
		}
		if !strings.Contains(r.Log.String(), "address already in use") {
			t.Fatalf("gatehouse dev did not become ready (%v):\n%s", r.Ended, r.Log.String())
		}
	}
	t.Fatal("no free port")
	return nil
}

// Tab is a tab of Chromium that nobody else shares cookies with.
type Tab struct {
	T    *testing.T
	Ctx  context.Context
	home string

	mu sync.Mutex
	// complaints are what the console says of the pages: errors of scripts, and
	// what their policy did not let them do.
	complaints []string
}

func NewTab(t *testing.T, at *instance.Replica) *Tab {
	t.Helper()
	started.Store(true)
	browser, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, stopWaiting := context.WithTimeout(ctx, 15*time.Minute)
	w := &Tab{T: t, Ctx: ctx, home: at.URL}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the tab was at %s and showed:\n%s", w.Address(), w.Text())
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, said := range w.complaints {
			t.Errorf("the console said: %s", said)
		}
		stopWaiting()
		cancel()
	})
	w.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		return chromedp.Listen(w.Ctx, w.hear)
	}))
	_, err = chromedp.Call(w.Ctx, log.Enable, cdp.Empty{})
	w.Must(err)
	return w
}

func (w *Tab) hear(event any) {
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

func (w *Tab) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatalf("the browser: %v", err)
	}
}

func (w *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	w.T.Helper()
	w.Must(chromedp.Do(w.Ctx, steps...))
}

// Open goes to a path of the instance, or to an address.
func (w *Tab) Open(path string) *Tab {
	w.T.Helper()
	if !strings.Contains(path, "://") {
		path = w.home + path
	}
	w.Do(chromedp.Navigate(path))
	return w
}

// Eventually waits until something holds.
func (w *Tab) Eventually(what string, holds func() (bool, error)) {
	w.T.Helper()
	var last error
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		ok, err := holds()
		if ok {
			return
		}
		last = err
		select {
		case <-w.Ctx.Done():
			w.T.Fatalf("%s: %v", what, errors.Join(w.Ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
	w.T.Fatalf("%s did not come (%v)", what, last)
}

func Evaluate[T any](w *Tab, expression string) (T, error) {
	return chromedp.Run(w.Ctx, chromedp.Evaluate[T](expression))
}

// Text is what the page shows; "" while there is none.
func (w *Tab) Text() string {
	text, _ := Evaluate[string](w, `document.body ? document.body.innerText : ""`)
	return text
}

func (w *Tab) Address() string {
	address, _ := Evaluate[string](w, `location.href`)
	return address
}

// Sees waits until the page shows a text.
func (w *Tab) Sees(text string) *Tab {
	w.T.Helper()
	w.Eventually(fmt.Sprintf("%q", text), func() (bool, error) { return strings.Contains(w.Text(), text), nil })
	return w
}

// At waits until the tab is at a path.
func (w *Tab) At(path string) *Tab {
	w.T.Helper()
	w.Eventually("the page "+path, func() (bool, error) {
		here, err := url.Parse(w.Address())
		return err == nil && here.Path == path && strings.HasPrefix(w.Address(), w.home), err
	})
	return w
}

// Find marks the one element that a script finds among the visible ones, for
// other steps to take.
func (w *Tab) Find(what, script string) {
	w.T.Helper()
	w.Eventually(what, func() (bool, error) {
		return Evaluate[bool](w, `(() => {
			document.querySelectorAll("[data-found]").forEach(e => e.removeAttribute("data-found"));
			const shown = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(e => e.checkVisibility());
			const found = (`+script+`)(shown);
			if (!found) return false;
			found.setAttribute("data-found", "");
			return true;
		})()`)
	})
}

const Found = chromedp.CSS("[data-found]")

// Follow clicks what was found, and waits for the page that follows.
func (w *Tab) Follow() *Tab {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, Patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(pageevents.LoadEventFired, nil, chromedp.Click(Found))); err != nil {
		w.T.Fatalf("no page followed a click: %v", err)
	}
	return w
}

// Fill types into the field with a label, as a screen reader names it.
func (w *Tab) Fill(label, text string) *Tab {
	w.T.Helper()
	w.Find("the field "+label, `all => all.find(e => e.labels && [...e.labels].some(l => l.innerText.trim().startsWith(`+Quoted(label)+`)))`)
	// Not by SendKeys, which reads attributes while chromedp writes them. The text comes
	// in one piece, as from a password manager.
	_, err := Evaluate[bool](w, `(() => {
		const field = document.querySelector("[data-found]");
		field.value = "";
		field.focus();
		return true;
	})()`)
	w.Must(err)
	_, err = chromedp.Call(w.Ctx, input.InsertText, input.InsertTextParams{Text: text})
	w.Must(err)
	return w
}

// Tick ticks the box with a label.
func (w *Tab) Tick(label string) *Tab {
	w.T.Helper()
	w.Find("the box "+label, `all => all.find(e => (e.type === "checkbox" || e.type === "radio") && [...e.labels].some(l => l.innerText.trim().startsWith(`+Quoted(label)+`)))`)
	w.Do(chromedp.Click(Found))
	return w
}

// aim finds the button or link of a name.
func (w *Tab) aim(name string) {
	w.T.Helper()
	w.Find("the button "+name, `all => all.find(e => (e.ariaLabel || e.innerText || "").trim() === `+Quoted(name)+`)`)
}

// Press clicks a button or link, and waits for the page that follows.
func (w *Tab) Press(name string) *Tab {
	w.T.Helper()
	w.aim(name)
	return w.Follow()
}

// Click clicks what leads to no other page.
func (w *Tab) Click(name string) *Tab {
	w.T.Helper()
	w.aim(name)
	w.Do(chromedp.Click(Found))
	return w
}

// Keys types on the keyboard, wherever the focus is.
func (w *Tab) Keys(text string) *Tab {
	w.T.Helper()
	w.Do(chromedp.KeyEvent(text))
	return w
}

// Enter presses Enter and waits for the page that follows.
func (w *Tab) Enter() *Tab {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, Patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(pageevents.LoadEventFired, nil, chromedp.KeyEvent(kb.Enter))); err != nil {
		w.T.Fatalf("no page followed Enter: %v", err)
	}
	return w
}

// Attribute is that of an element.
func (w *Tab) Attribute(css, name string) string {
	w.T.Helper()
	value, err := Evaluate[string](w, `document.querySelector(`+Quoted(css)+`).getAttribute(`+Quoted(name)+`) || ""`)
	w.Must(err)
	return value
}

// Shown is the text of an element.
func (w *Tab) Shown(css string) string {
	w.T.Helper()
	text, err := Evaluate[string](w, `document.querySelector(`+Quoted(css)+`).textContent.trim()`)
	w.Must(err)
	return text
}

// Count is how many elements there are.
func (w *Tab) Count(css string) int {
	w.T.Helper()
	n, err := Evaluate[int](w, `document.querySelectorAll(`+Quoted(css)+`).length`)
	w.Must(err)
	return n
}

// Authenticator adds to the tab a device that holds passkeys and knows its owner.
func (w *Tab) Authenticator() webauthn.AuthenticatorID {
	w.T.Helper()
	_, err := chromedp.Call(w.Ctx, webauthn.Enable, webauthn.EnableParams{})
	w.Must(err)
	added, err := chromedp.Call(w.Ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	})
	w.Must(err)
	return added.AuthenticatorID
}

// Lost takes the device away again.
func (w *Tab) Lost(device webauthn.AuthenticatorID) {
	w.T.Helper()
	_, err := chromedp.Call(w.Ctx, webauthn.RemoveVirtualAuthenticator, webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: device})
	w.Must(err)
}

// Plain makes the browser one that offers no passkeys by itself.
func (w *Tab) Plain() *Tab {
	w.T.Helper()
	_, err := chromedp.Call(w.Ctx, pageevents.AddScriptToEvaluateOnNewDocument, pageevents.AddScriptToEvaluateOnNewDocumentParams{
		Source: "PublicKeyCredential.isConditionalMediationAvailable = async () => false",
	})
	w.Must(err)
	return w
}

// Scripts switches JavaScript off, or on again.
func (w *Tab) Scripts(on bool) *Tab {
	w.T.Helper()
	_, err := chromedp.Call(w.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	w.Must(err)
	return w
}

// Quoted is a text as JavaScript writes it.
func Quoted(text string) string {
	written, _ := json.Marshal(text)
	return string(written)
}
