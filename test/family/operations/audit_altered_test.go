package operations_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/test/harness"
)

// An event that somebody puts in with a time yet to come keeps no block open, and does not make
// the events behind it look put in.
func TestFutureEventHoldsUpNothing(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, middle := chained(t, h)
		later := h.Clock.Now().Add(24 * time.Hour)
		run(t, h, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, request_index, command, data)
			SELECT '`+event.EarliestID(later).String()+`', kind, (SELECT latest_at FROM audit_blocks WHERE number = 3), outcome, user_id, org_id, actor_kind, actor_id, session_id, '', '', '', request_id, request_index, command, 'enc:'
			FROM events WHERE id = '`+middle[0].ID.String()+`'`)
		h.SendWebhooks()
		for _, role := range []string{"behind it", "behind that"} {
			root.Do("ROLE.CREATE", P{"name": role, "permissions": []string{"apps:read"}}).OK()
			h.Clock.Advance(2 * time.Minute)
			h.SendWebhooks()
			if err := h.Relay.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.Clock.Advance(time.Second)
		}
		checked := root.Do("AUDIT.VERIFY", P{"from": h.Clock.Now().Add(-121*time.Second - 500*time.Millisecond)}).OK() // the last block
		if checked.Int("checked") == 0 || checked.Has("first_break") {
			t.Errorf("behind it: %v", checked.Data)
		}
		found := root.Do("AUDIT.VERIFY", nil).OK()
		if found.String("first_break.event_id") != event.EarliestID(later).String() {
			t.Errorf("found %v", found.Data)
		}
	})
}

// An event that somebody altered in the store so that it cannot be read, before it was sent and
// before its block was closed, holds up nobody: the others are sent, shown, streamed and proved,
// it lies among the dead letters, and is found at its place.
func TestAlteredEventBlocksNothing(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"unreadable":             "UPDATE events SET data = 'enc:' WHERE id = '",
		"no JSON":                "UPDATE events SET data = 'no JSON' WHERE id = '",
		"what it did unreadable": "UPDATE event_changes SET after = 'enc:' WHERE id = '",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
				ada, root, to, siem := h.SignUp("ada@example.com"), h.Superadmin(), receive(t), receive(t)
				register(ada, to.URL)
				ada.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": siem.URL, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}).OK()
				for _, role := range []string{"First", "Second", "Third"} {
					webhookRole(ada, role)
				}
				all := h.Events("role.created") // the newest first
				run(t, h, statement+all[1].ID.String()+"'")
				h.Clock.Advance(2 * time.Minute)
				h.SendWebhooks()
				if err := h.Relay.Seal(t.Context()); err != nil {
					t.Fatal(err)
				}
				if _, err := h.Relay.Stream(t.Context()); err != nil || len(siem.taken()) == 0 {
					t.Errorf("the stream is held up (%v)", err)
				}
				var shown []string
				for _, one := range ada.Do("EVENT.LIST", P{"types": []string{"role.created"}}).OK().List("items") {
					shown = append(shown, one["id"].(string))
				}
				if want := []string{all[2].ID.String(), all[1].ID.String(), all[0].ID.String()}; !slices.Equal(shown, want) {
					t.Errorf("the feed shows %v, want %v", shown, want)
				}
				ada.Do("AUDIT.SEARCH", P{"type": "role.created"}).OK()
				ada.Do("AUDIT.CHANGE_LIST", P{"resource_type": "role"}).OK()
				if sent := len(to.taken()); name == "what it did unreadable" && sent != 3 || name != "what it did unreadable" && sent != 2 {
					t.Errorf("%d messages came", sent)
				}
				for _, one := range ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items") {
					if one["event_id"] != all[1].ID.String() {
						t.Errorf("dead letters: %v", one)
					}
				}
				found := root.Do("AUDIT.VERIFY", nil).OK()
				if found.Bool("intact") || found.String("first_break.what") != "altered" || found.String("first_break.event_id") != all[1].ID.String() {
					t.Errorf("found %v", found.Data)
				}
			})
		})
	}
}
