package machines_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/test/harness"
)

// report hands texts in and returns what became of them, as prefix and whether it
// was revoked.
func report(h *harness.Service, texts ...string) []string {
	reported := []string{}
	for _, one := range h.Anonymous().Do("API_KEY.REPORT_LEAK", harness.P{"keys": texts}).List("results") {
		reported = append(reported, fmt.Sprintf("%v %v", one["prefix"], one["revoked"]))
	}
	return reported
}

func wantReport(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("results %q, want %q", got, want)
	}
}

func TestWhoHoldsTheTextEndsTheKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	one, two, spared := mint(h, alice), mint(h, bob), mint(h, alice)
	unknown, secret := string(keytext.New(keytext.APIKey, system.Random{})), string(keytext.New(keytext.AppSecret, system.Random{}))
	flipped := one.text[:len(one.text)-1] + "!"
	wantReport(t, report(h, unknown, one.text, "garbage", two.text, secret, flipped, one.text),
		unknown[:12]+" false", one.text[:12]+" true", "<nil> false", two.text[:12]+" true", secret[:12]+" false", "<nil> false", one.text[:12]+" true")
	for _, k := range []heldKey{one, two} {
		wantEnded(t, h, k, apikey.ByLeak)
	}
	works(t, "a key that was not handed in", spared, true)
	if got := alice.Do("API_KEY.LIST", harness.P{"status": "revoked"}).List("items"); len(got) != 1 || got[0]["id"] != one.id {
		t.Errorf("alice's ended keys are %v", got)
	}
	if events := h.Events(apikey.KindLeakReported); len(events) != 2 || events[0].Origin.ActorKind != "anonymous" {
		t.Errorf("events %+v", events)
	}
	// Again it is told to who has the text, and nothing happens any more.
	wantReport(t, report(h, one.text), one.text[:12]+" true")
	if n := len(h.Events(apikey.KindLeakReported)); n != 2 {
		t.Errorf("%d reports of two keys", n)
	}
}

func TestReportOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	active, expired, revoked := statuses(h, alice)
	wantReport(t, report(h, expired.text, revoked.text), expired.text[:12]+" true", revoked.text[:12]+" true")
	fresh, _ := turn(h, alice, active, 1)
	h.Clock.Advance(time.Hour)
	alice = h.Login("alice@example.com", harness.Password)
	wantReport(t, report(h, active.text), active.text[:12]+" true")
	works(t, "the key whose old text was handed in", fresh, true)
	if n := len(h.Events(apikey.KindLeakReported)); n != 0 {
		t.Errorf("%d reports of keys that had ended", n)
	}
	next, _ := turn(h, alice, fresh, 1)
	wantReport(t, report(h, fresh.text, next.text), fresh.text[:12]+" true", next.text[:12]+" true")
	wantEnded(t, h, next, apikey.ByLeak)
}

func TestReportTellsTheOwnerWhere(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := mint(h, alice)
	h.Anonymous().Do("API_KEY.REPORT_LEAK", harness.P{
		"keys": []string{made.text}, "source": "a <scanner>", "url": "https://ada:secret@example.com:8443/paste/1?token=abc#ada@example.com",
	}).OK()
	seen := alice.Do("AUDIT.SEARCH", harness.P{"type": string(apikey.KindLeakReported)}).List("items")
	if len(seen) != 1 {
		t.Fatalf("alice sees %v", seen)
	}
	data := seen[0]["data"].(harness.P)
	if data["source"] != "a <scanner>" || data["url"] != "https://example.com:8443/paste/1" || data["key_id"] != made.id {
		t.Errorf("told %v", data)
	}
}

func TestReportRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	made := mint(h, h.SignUp("alice@example.com"))
	many := make([]string, 101)
	for i := range many {
		many[i] = "x"
	}
	for field, values := range map[string][]any{
		"keys":   {nil, []string{}, many, []string{""}, "x"},
		"source": {strings.Repeat("s", 101), "two\nlines"},
		"url":    {"ftp://example.com/", "example.com", "https://", "https:///path", "javascript:alert(1)", "https://exa mple.com/", "https://[::1/", "https://example.com/" + strings.Repeat("p", 2048)},
	} {
		for _, value := range values {
			params := harness.P{"keys": []string{made.text}, field: value}
			if value == nil {
				delete(params, field)
			}
			if r := h.Anonymous().Do("API_KEY.REPORT_LEAK", params); r.Failure == nil || r.Failure.Code != fault.Validation || !strings.HasPrefix(r.Failure.Fields[0].Path, "/"+field) {
				t.Errorf("%s %v: %v", field, value, r.Failure)
			}
		}
	}
	h.Anonymous().DryRun().Do("API_KEY.REPORT_LEAK", harness.P{"keys": []string{made.text}}).OK()
	works(t, "the key after all that", made, true)
	if r := h.Anonymous().Do("API_KEY.REPORT_LEAK", harness.P{"keys": many[:100]}); len(r.List("results")) != 100 {
		t.Error("a hundred are not a hundred")
	}
}

func TestReportsThatMeetEndOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	one, two := mint(h, alice), mint(h, alice)
	var all sync.WaitGroup
	for i := range 8 {
		texts := []string{one.text, two.text}
		if i%2 == 1 {
			texts = []string{two.text, one.text}
		}
		all.Go(func() {
			for _, line := range report(h, texts...) {
				if !strings.HasSuffix(line, " true") {
					t.Errorf("told %s", line)
				}
			}
		})
	}
	all.Wait()
	for _, k := range []heldKey{one, two} {
		wantEnded(t, h, k, apikey.ByLeak)
	}
}
