package operations_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// An event that somebody altered in the store so that it cannot be read, before it was sent and
// before its block was closed, holds up nobody: the others are sent, shown, streamed and proved,
// it lies among the dead letters, and is found at its place.
func TestAlteredEventHoldsUpNobody(t *testing.T) {
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
