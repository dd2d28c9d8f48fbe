package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestSearchNarrows(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	h.Clock.Advance(time.Minute)
	alice := h.SignUp("alice@example.com")
	h.Clock.Advance(time.Minute)
	later := h.Clock.Now().Format(time.RFC3339Nano)
	bob := h.SignUp("bob@example.com")
	address, _ := bob.Do("SESSION.LIST", nil).List("items")[0]["ip"].(string)
	tests := []struct {
		name   string
		params harness.P
		want   []string
	}{
		{"everybody's, newest first", nil, []string{bob.SessionID, alice.SessionID, root.SessionID}},
		{"one person's", harness.P{"user_id": alice.UserID}, []string{alice.SessionID}},
		{"one address'", harness.P{"ip": address}, []string{bob.SessionID}},
		{"one address', written otherwise", harness.P{"ip": "::ffff:" + address}, []string{bob.SessionID}},
		{"another address'", harness.P{"ip": "2001:db8::1"}, nil},
		{"a method", harness.P{"amr": "pwd", "user_id": bob.UserID}, []string{bob.SessionID}},
		{"another method", harness.P{"amr": "otp"}, nil},
		{"used since", harness.P{"active_since": later}, []string{bob.SessionID}},
		{"filters together", harness.P{"active_since": later, "user_id": alice.UserID}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantIDs(t, root.Do("SESSION.SEARCH", test.params), test.want...)
		})
	}
	items := root.Do("SESSION.SEARCH", harness.P{"user_id": root.UserID}).List("items")
	if items[0]["current"] != true {
		t.Error("the session that asks is not marked")
	}
}

func TestSearchGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	alice := h.SignUp("alice@example.com")
	page := root.Do("SESSION.SEARCH", harness.P{"limit": 1})
	wantIDs(t, page, alice.SessionID)
	cursor := page.String("next_cursor")
	wantIDs(t, root.Do("SESSION.SEARCH", harness.P{"limit": 1, "cursor": cursor}), root.SessionID)
	root.Do("SESSION.SEARCH", harness.P{"user_id": root.UserID, "cursor": cursor}).Fails(fault.Validation).Field("/cursor")
	root.Do("SESSION.LIST", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("SESSION.SEARCH", harness.P{"ip": "everywhere"}).Fails(fault.Validation).Field("/ip")
}
