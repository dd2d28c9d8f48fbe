package commerce_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// What the release wrote that made testdata/previous.db.gz: the database of a vendor with two
// products, and a license for one of them on one machine.
const (
	previousKeys    = "ENCRYPTION_KEY=k1:Z29sZGVuIGtleSBvZiAzMiBieXRlcywgbm90IHVzZWQ="
	previousLicense = "LIC-GAGKM-SXXPZ-28BJ0-GAMXX-33J2C"
	previousMachine = "workshop-1"
	previousCursor  = "t-zvHTO2zMqAlgSx-EGIdqYU9vOcJE-mcHJkXzAxbThoYjFrNDJmODhzcDFodmd5NHp6bjA5"
	previousRefresh = "rt_c2VzXzAxbThoYjFrNDJmOGNzM3lteWE2NXY4eDl0Wmt4I0kT8WPwC1ZkcDtHQY_wU0beb7H1PiETpsNQT1M0aPfTw2Ib9V7YfSzLoWlw"
)

// Keys, machines, tokens and cursors of an earlier release are good in this one: nothing that
// enters a digest, a derived key or associated data has changed.
func TestWhatThePreviousReleaseStored(t *testing.T) {
	t.Parallel()
	h := harness.On(t, previousDatabase(t), previousKeys)
	h.Clock.Advance(time.Date(2026, 11, 28, 15, 10, 0, 0, time.UTC).Sub(h.Clock.Now()))
	if got := validate(h, previousLicense, P{"machine": previousMachine}); got != "valid" {
		t.Errorf("the license on its machine is %q, want valid", got)
	}
	if got := validate(h, previousLicense, P{"machine": "another"}); got != "machine_mismatch" {
		t.Errorf("the license on another machine is %q, want machine_mismatch", got)
	}
	refreshed := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": previousRefresh}).OK()
	ada := h.With(refreshed.String("access_token"))
	if got := ada.Do("USER.ME", nil).OK().String("email"); got != "ada@example.com" {
		t.Errorf("the refresh token is of %q, want ada@example.com", got)
	}
	rest := ada.Do("PRODUCT.LIST", P{"limit": 1, "cursor": previousCursor}).OK().List("items")
	if len(rest) != 1 || rest[0]["slug"] != "table" {
		t.Errorf("the cursor leads to %v, want the product table", rest)
	}
}

// previousDatabase returns the address of a copy of the database.
func previousDatabase(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("testdata/previous.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "gatehouse.db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + file
}
