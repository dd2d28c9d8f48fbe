package operations_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// guess gives wrong passwords for an account.
func guess(h *harness.Service, email string, times int) {
	for range times {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": "wrong"}).Fails(fault.Auth)
	}
}

// knock logs in from one address until it is refused.
func knock(h *harness.Service, address int) {
	for range 10 {
		h.Anonymous().From(address).Do("AUTH.LOGIN", P{"email": "nobody@example.com", "password": "wrong"}).Fails(fault.Auth)
	}
	h.Anonymous().From(address).Do("AUTH.LOGIN", P{"email": "nobody@example.com", "password": "wrong"}).Fails(fault.RateLimited)
}

// riskListed are the lockouts as kind and subject.
func riskListed(r *harness.Reply) string {
	var texts []string
	for _, item := range r.List("items") {
		texts = append(texts, item["kind"].(string)+" "+item["subject"].(string))
	}
	return strings.Join(texts, ", ")
}

func TestLockouts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		if got := riskListed(root.Do("RISK.LOCKOUT_LIST", nil)); got != "" {
			t.Errorf("listed %s", got)
		}
		guess(h, "carol@example.com", 12)
		guess(h, "alice@example.com", 10)
		knock(h, 7)
		h.Clock.Advance(time.Second)
		guess(h, "bob@example.com", 13)
		knock(h, 8)
		first, second := "account "+bob.UserID, "account "+alice.UserID
		const third, fourth = "ip 10.0.0.8", "ip 10.0.0.7"
		all := strings.Join([]string{first, second, third, fourth}, ", ")
		r := root.Do("RISK.LOCKOUT_LIST", nil)
		if got := riskListed(r); got != all {
			t.Errorf("listed %s, want %s", got, all)
		}
		items := r.List("items")
		wantItem(t, items[0], 13, h.Clock.Now().Add(15*time.Minute))
		wantItem(t, items[1], 10, h.Clock.Now().Add(15*time.Minute-time.Second))
		wantItem(t, items[2], 10, h.Clock.Now().Add(time.Minute))
		wantItem(t, items[3], 10, h.Clock.Now().Add(time.Minute-time.Second))
		for kind, want := range map[string]string{"account": first + ", " + second, "ip": third + ", " + fourth} {
			if got := riskListed(root.Do("RISK.LOCKOUT_LIST", P{"kind": kind})); got != want {
				t.Errorf("of the kind %s: %s, want %s", kind, got, want)
			}
		}
		for _, size := range []int{1, 2, 3} {
			if got := pages(root, size); got != all {
				t.Errorf("in pages of %d: %s", size, got)
			}
		}
		h.Clock.Advance(time.Minute - time.Second)
		if got := riskListed(root.Do("RISK.LOCKOUT_LIST", P{"kind": "ip"})); got != third {
			t.Errorf("listed %s a minute later", got)
		}
		root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).OK()
		if got := riskListed(root.Do("RISK.LOCKOUT_LIST", P{"kind": "account"})); got != first {
			t.Errorf("listed %s after one was unlocked", got)
		}
		h.Clock.Advance(14*time.Minute + time.Second)
		if got := riskListed(h.Superadmin().Do("RISK.LOCKOUT_LIST", nil)); got != "" {
			t.Errorf("listed %s in the end", got)
		}
	})
}

// A lock by wrong codes is listed until it ends or is lifted; one account stands
// there once, whatever locked it.
func TestLockedByCodes(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		people := []*harness.Actor{h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com")}
		for _, person := range people {
			person.EnrollApp()
		}
		alice, bob, carol := people[0].UserID, people[1].UserID, people[2].UserID
		wants := func(what string, want ...string) {
			t.Helper()
			if got := pages(h.Superadmin(), 1); got != strings.Join(want, ", ") {
				t.Errorf("%s: listed %s, want %v", what, got, want)
			}
		}
		misanswer(h, "alice@example.com", 9)
		wants("too few wrong codes")
		misanswer(h, "alice@example.com", 1)
		wants("wrong codes", "account "+alice)
		wantItem(t, first(h, "account"), 10, h.Clock.Now().Add(15*time.Minute))
		h.Clock.Advance(15*time.Minute - time.Microsecond)
		wants("before the lock ends", "account "+alice)
		h.Clock.Advance(time.Microsecond)
		wants("when the lock has ended")

		misanswer(h, "carol@example.com", 10)
		h.Clock.Advance(time.Second)
		misanswer(h, "bob@example.com", 10)
		h.Clock.Advance(time.Second)
		misanswer(h, "alice@example.com", 10)
		h.Clock.Advance(time.Second)
		knock(h, 7)
		wants("three of them", "account "+alice, "account "+bob, "account "+carol, "ip 10.0.0.7")
		guess(h, "bob@example.com", 12)
		wants("locked both ways", "account "+bob, "account "+alice, "account "+carol, "ip 10.0.0.7")
		wantItem(t, first(h, "account"), 22, h.Clock.Now().Add(15*time.Minute))
		if got := first(h, "ip")["subject"]; got != "10.0.0.7" {
			t.Errorf("the first address is %v", got)
		}
		h.Superadmin().Do("MFA.RESET", P{"user_id": carol}).OK()
		wants("after a reset", "account "+bob, "account "+alice, "ip 10.0.0.7")
		h.Superadmin().Do("USER.UNLOCK", P{"user_id": bob}).OK()
		h.Superadmin().Do("USER.UNLOCK", P{"user_id": alice}).OK()
		wants("after both were unlocked", "ip 10.0.0.7")
	})
}

// misanswer gives wrong codes for an account.
func misanswer(h *harness.Service, email string, times int) {
	for range times {
		h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(email), "method": "bypass", "code": "wrong"}).Fails(fault.Auth)
	}
}

// first is the first lockout of a kind.
func first(h *harness.Service, kind string) P {
	return h.Superadmin().Do("RISK.LOCKOUT_LIST", P{"kind": kind}).List("items")[0]
}

func wantItem(t *testing.T, item P, failures int, until time.Time) {
	t.Helper()
	if item["failures"] != float64(failures) || item["until"] != until.Format(time.RFC3339Nano) {
		t.Errorf("item %v, want %d until %v", item, failures, until)
	}
}

// pages reads the whole list in pages of one size.
func pages(root *harness.Actor, size int) string {
	var all []string
	for params := (P{"limit": size}); ; {
		r := root.Do("RISK.LOCKOUT_LIST", params)
		all = append(all, riskListed(r))
		if r.Data["next_cursor"] == nil {
			return strings.Join(all, ", ")
		}
		params["cursor"] = r.String("next_cursor")
	}
}

// A tuned limit counts as it is tuned.
func TestTuned(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("RATE_LIMIT.SET", P{"command": "AUTH.LOGIN", "limit": 2, "window_seconds": 3600, "key": "ip"}).OK()
	for range 2 {
		h.Anonymous().From(7).Do("AUTH.LOGIN", P{"email": "nobody@example.com", "password": "wrong"}).Fails(fault.Auth)
	}
	h.Clock.Advance(10 * time.Minute)
	items := root.Do("RISK.LOCKOUT_LIST", nil).List("items")
	if len(items) != 1 {
		t.Fatalf("listed %v", items)
	}
	wantItem(t, items[0], 2, h.Clock.Now().Add(50*time.Minute))
}
