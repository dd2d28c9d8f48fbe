package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// interop is where the libraries of others are that the tests run.
const interop = "../interop"

// Installed returns their directory. It fails the test unless they are those of the
// lock file.
func Installed(t testing.TB) string {
	t.Helper()
	wanted, err := os.ReadFile(filepath.Join(interop, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := os.ReadFile(filepath.Join(interop, "node_modules", ".locked")); err != nil || !bytes.Equal(locked, wanted) {
		t.Fatalf("the libraries of %s are not installed as locked: run make setup (%v)", interop, err)
	}
	return interop
}

// axe is the accessibility engine of axe-core.
var axe = sync.OnceValues(func() ([]byte, error) {
	return os.ReadFile(filepath.Join(interop, "node_modules", "axe-core", "axe.min.js"))
})

// accessible fails the test with what axe finds wrong with the page that is shown.
func (w *Tab) accessible(name string) {
	w.T.Helper()
	Installed(w.T)
	engine, err := axe()
	w.Must(err)
	// What does not load by itself, since the policy of pages lets nothing foreign in.
	_, err = Evaluate[bool](w, string(engine)+"\n;typeof axe === 'object'")
	w.Must(err)
	found, err := chromedp.Run(w.Ctx, chromedp.Evaluate[[]string](violations, chromedp.EvalAwaitPromise))
	w.Must(err)
	if len(found) > 0 {
		w.T.Errorf("axe finds in %s: %s", name, strings.Join(found, "; "))
	}
}

// violations runs every rule of WCAG 2.2 and of good practice, and some that axe does
// not by itself. Contrasts are measured by faintText, quicker and in every color scheme.
// Mails in a frame are not ours to judge by the rules of pages.
const violations = `axe.run({ exclude: [["iframe"]] }, {
	iframes: false,
	rules: { "color-contrast": { enabled: false }, "label-content-name-mismatch": { enabled: true }, "focus-order-semantics": { enabled: true }, "target-size": { enabled: true } },
}).then(said => said.violations.flatMap(v => v.nodes.map(n => v.id + " at " + n.target.join(" ") + ": " + n.failureSummary.split("\n").slice(1, 3).join(" "))))`
