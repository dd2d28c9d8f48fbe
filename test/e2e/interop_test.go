package e2e_test

import (
	"bytes"
	"os/exec"
	"testing"
)

// TestLibrariesOfOthers runs the clients of test/e2e/interop, which are libraries from
// npm, against the service.
func TestLibrariesOfOthers(t *testing.T) {
	directory := installed(t)
	onBoth(t, func(t *testing.T, on store) {
		here := openHere(t, on).first()
		admin := here.admin()
		app := here.register(admin, "interop", "apps:read")
		product := here.as(admin, "PRODUCT.CREATE", P{"name": "Table", "slug": "table"}).text("product.id")
		licence := here.as(admin, "LICENSE.ISSUE", P{"product_id": product, "offline_days": 7})
		script := exec.CommandContext(t.Context(), "node", "verify.mjs", string(jsonOf(t, P{
			"issuer": here.url, "client_id": app.slug, "client_secret": app.secret, "app_id": app.id, "operator": admin.access,
			"product_id": product, "license_key": licence.text("key"),
		})))
		script.Dir = directory
		if output, err := script.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("all of it holds")) {
			t.Fatalf("node verify.mjs: %v\n%s", err, output)
		}
	})
}
