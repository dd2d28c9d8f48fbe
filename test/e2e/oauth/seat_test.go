package oauth_test

import (
	"os/exec"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestAFloatingSeat runs the program of test/e2e/interop that takes a floating seat and
// goes on without network for as many days as its file holds.
func TestAFloatingSeat(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := openHere(t, on).First()
		vendor := here.SignUp()
		product := here.As(vendor, "PRODUCT.CREATE", P{"name": "Table", "slug": "table"}).Text("product.id")
		policy := here.As(vendor, "LICENSE.POLICY_CREATE", P{"name": "Floating", "floating": true, "seats": 1, "offline_days": 3}).Text("policy.id")
		made := here.As(vendor, "LICENSE.ISSUE", P{"product_id": product, "policy_id": policy})
		issuer, kept := here.URL, map[string]string{"m1": t.TempDir(), "m2": t.TempDir()}
		runs := func(machine string, days float64, want string) {
			t.Helper()
			script := exec.CommandContext(t.Context(), "node", "seat.mjs", string(instance.JSONOf(t, P{
				"issuer": issuer, "key": made.Text("key"), "product_id": product, "machine": machine, "directory": kept[machine], "days": days,
			})))
			script.Dir = directory
			if said, err := script.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), want) {
				t.Errorf("%s after %v days: %q (%v), want %q", machine, days, said, err, want)
			}
		}
		runs("m1", 0, "runs, with a seat until ")
		runs("m2", 0, "no: no_seats")
		here.Kill()
		runs("m1", 0, "runs without network, until ")
		runs("m1", 2.9, "runs without network, until ")
		runs("m1", 3.1, "no: ")
		runs("m1", -1, "no: ") // a clock that was set back before the file was made
		runs("m2", 0, "no: ")
	})
}
