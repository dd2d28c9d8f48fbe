package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func ids(r *harness.Reply) []string {
	found := []string{}
	for _, item := range r.List("items") {
		id, _ := item["id"].(string)
		found = append(found, id)
	}
	return found
}

func wantIDs(t *testing.T, r *harness.Reply, want ...string) {
	t.Helper()
	got := ids(r)
	if len(got) != len(want) {
		t.Fatalf("sessions %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("sessions %q, want %q", got, want)
		}
	}
}

func TestListShowsOwnSessions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	first := h.SignUp("alice@example.com")
	h.SignUp("bob@example.com")
	h.Clock.Advance(time.Minute)
	began := h.Clock.Now()
	second := h.Login("alice@example.com", harness.Password)
	r := first.Do("SESSION.LIST", nil).OK()
	wantIDs(t, r, second.SessionID, first.SessionID)
	if r.Data["next_cursor"] != nil {
		t.Errorf("next_cursor = %v, want null", r.Data["next_cursor"])
	}
	newest := r.List("items")[0]
	for name, want := range map[string]any{
		"user_id": first.UserID, "org_id": first.OrgID, "current": false, "user_agent": "harness/1.0", "device": "",
		"created_at": began.Format(time.RFC3339Nano), "auth_time": began.Format(time.RFC3339Nano),
		"last_used_at": began.Format(time.RFC3339Nano), "expires_at": began.Add(30 * 24 * time.Hour).Format(time.RFC3339Nano),
	} {
		if newest[name] != want {
			t.Errorf("%s = %v, want %v", name, newest[name], want)
		}
	}
	if newest["ip"] == "" {
		t.Error("the session tells no address")
	}
	if r.List("items")[1]["current"] != true {
		t.Error("the session that asks is not marked")
	}
}

func TestListLeavesOutWhatHasEnded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("alice@example.com")
	h.Clock.Advance(31 * 24 * time.Hour)
	left := h.Login("alice@example.com", harness.Password)
	left.Do("AUTH.LOGOUT", nil).OK()
	now := h.Login("alice@example.com", harness.Password)
	wantIDs(t, now.Do("SESSION.LIST", nil), now.SessionID)
}

func TestListTellsTheLastRefresh(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	h.Clock.Advance(time.Minute)
	alice.Do("AUTH.REFRESH", harness.P{"refresh_token": alice.RefreshToken}).OK()
	item := alice.Do("SESSION.LIST", nil).List("items")[0]
	if want := h.Clock.Now().Format(time.RFC3339Nano); item["last_used_at"] != want {
		t.Errorf("last_used_at = %v, want %v", item["last_used_at"], want)
	}
}

func TestListGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	first := h.SignUp("alice@example.com")
	second := h.Login("alice@example.com", harness.Password)
	third := h.Login("alice@example.com", harness.Password)
	bob := h.SignUp("bob@example.com")
	page := first.Do("SESSION.LIST", harness.P{"limit": 2}).OK()
	wantIDs(t, page, third.SessionID, second.SessionID)
	cursor := page.String("next_cursor")
	last := first.Do("SESSION.LIST", harness.P{"limit": 2, "cursor": cursor})
	wantIDs(t, last, first.SessionID)
	if last.Data["next_cursor"] != nil {
		t.Errorf("next_cursor = %v, want null", last.Data["next_cursor"])
	}
	bob.Do("SESSION.LIST", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
}
