package machines_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func wantIDs(t *testing.T, r *harness.Reply, want ...string) {
	t.Helper()
	if got := ids(r); !slices.Equal(got, want) {
		t.Errorf("bindings %q, want %q", got, want)
	}
}

func TestDPoPListGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	first, second, third := dpopRegister(h, alice), dpopRegister(h, alice), dpopRegister(h, alice)
	theirs := dpopRegister(h, bob)
	wantIDs(t, alice.Do("DPOP.LIST", nil), third, second, first)
	wantIDs(t, bob.Do("DPOP.LIST", nil), theirs)
	page := alice.Do("DPOP.LIST", harness.P{"limit": 2}).OK()
	wantIDs(t, page, third, second)
	cursor := page.String("next_cursor")
	last := alice.Do("DPOP.LIST", harness.P{"limit": 2, "cursor": cursor})
	wantIDs(t, last, first)
	if last.Data["next_cursor"] != nil {
		t.Errorf("next_cursor = %v, want null", last.Data["next_cursor"])
	}
	bob.Do("DPOP.LIST", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
	wantIDs(t, h.Superadmin().Do("DPOP.LIST", nil))
}

func TestListTellsWhatHasEnded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK(), "ttl_hours": 1}).OK()
	for elapsed, want := range []string{"active", "expired"} {
		h.Clock.Advance(time.Duration(elapsed) * time.Hour)
		who := h.Login("alice@example.com", harness.Password)
		if item := who.Do("DPOP.LIST", nil).List("items")[0]; item["status"] != want {
			t.Errorf("after %d hours it is %v, want %s", elapsed, item["status"], want)
		}
	}
}

func TestThumbprint(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	// The key of RFC 9449 section 4.1 and its thumbprint from section 6.1.
	key := harness.P{
		"kty": "EC", "crv": "P-256",
		"x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
	}
	if got := alice.Do("DPOP.THUMBPRINT", harness.P{"public_jwk": key}).String("thumbprint"); got != "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" {
		t.Errorf("thumbprint = %s", got)
	}
	if items := alice.Do("DPOP.LIST", nil).List("items"); len(items) != 0 {
		t.Errorf("a thumbprint registered %v", items)
	}
}
