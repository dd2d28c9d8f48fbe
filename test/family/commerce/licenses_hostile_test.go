package commerce_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A fingerprint is any text of 255 characters, told apart letter by letter; what no text
// can hold is refused before anything is asked.
func TestFingerprintsOfAnyText(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		id, key := issue(ada, P{"policy_id": policy(ada, P{"floating": true, "seats": 100, "max_machines": 100, "offline_days": 3})})
		texts := []string{
			strings.Repeat("\U0001F5A5", 255), strings.Repeat("é", 255), strings.Repeat("e\u0301", 127), "é", "e\u0301", "A", "a", " a", "a ", "\u200b", "\u202Ea", "\uffff",
			"\U0010FFFF", "'; DROP TABLE licenses; --", "%", "_", "\t\n\r\x7f\u0085", "\\", "\"", "ß", "SS", "İ", "ı",
		}
		ids := map[string]bool{}
		for _, text := range texts {
			params := P{"key": key, "machine": text}
			made := h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", params).OK()
			if ids[made.String("machine.id")] = true; made.String("code") != "valid" {
				t.Errorf("%q: %v", text, made.Data)
			}
			file := h.Anonymous().Do("LICENSE.OFFLINE_CHECKOUT", params).OK().String("offline_file")
			if got := claims(t, h, file)["machine"]; got != text {
				t.Errorf("the file of %q is for %q", text, got)
			}
			for _, command := range []string{"MACHINE_HEARTBEAT", "LEASE_ACQUIRE", "VALIDATE"} {
				if got := other.Anonymous().Do("LICENSE."+command, params).OK(); got.String("code") != "valid" {
					t.Errorf("%s of %q: %v", command, text, got.Data)
				}
			}
		}
		if len(ids) != len(texts) {
			t.Errorf("%d machines of %d fingerprints", len(ids), len(texts))
		}
		for _, raw := range []string{strings.Repeat("é", 256), "", `\ud800`, `\udc00a`, "\xff", "a\xc0\x80"} {
			for _, command := range []string{"VALIDATE", "MACHINE_ACTIVATE", "MACHINE_HEARTBEAT", "LEASE_ACQUIRE", "OFFLINE_CHECKOUT"} {
				h.Anonymous().Send("LICENSE."+command, []byte(`{"key":"`+key+`","machine":"`+raw+`"}`)).Fails(fault.Validation)
			}
		}
		if got := len(ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id, "limit": 100}).OK().List("items")); got != len(texts) {
			t.Errorf("%d machines are kept", got)
		}
	})
}

// The character that no text of PostgreSQL holds is refused on both databases, wherever
// it stands.
func TestNullCharacters(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h := open()
		_, key := issue(vendor(h), nil)
		const null = "a\x00b"
		for _, one := range []struct {
			command string
			params  P
		}{
			{"VALIDATE", P{"machine": null}},
			{"MACHINE_ACTIVATE", P{"machine": null}},
			{"MACHINE_ACTIVATE", P{"machine": "m", "name": null}},
			{"MACHINE_ACTIVATE", P{"machine": "m", "platform": null}},
			{"MACHINE_ACTIVATE", P{"machine": "m", "metadata_json": P{"a": []string{null}}}},
			{"MACHINE_ACTIVATE", P{"machine": "m", "metadata_json": P{null: 1}}},
			{"LEASE_ACQUIRE", P{"machine": "m", "user": null}},
			{"USAGE_INCREMENT", P{"meter": "m", "event_id": null}},
		} {
			one.params["key"] = key
			h.Anonymous().Do("LICENSE."+one.command, one.params).Fails(fault.Validation)
		}
	})
}

// The last transfer of a year goes to one of 100 callers of two replicas.
func TestTheLastTransfer(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		id, key := issue(ada, P{"policy_id": policy(ada, P{"max_machines": 1, "transfers_per_year": 1})})
		h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "old"}).OK()
		on := []*harness.Actor{ada, other.With(ada.AccessToken)}
		moved := harness.Codes(harness.Together(100, func(i int) *harness.Reply {
			return on[i%2].Do("LICENSE.TRANSFER", P{"license_id": id, "from_machine": "old", "to_machine": fmt.Sprint("new ", i)})
		}))
		if moved[""] != 1 || moved[fault.Validation] != 99 {
			t.Errorf("answered %v", moved)
		}
		if got := ada.Do("LICENSE.MACHINE_LIST", P{"license_id": id}).OK().List("items"); len(got) != 1 {
			t.Errorf("the machines %v", got)
		}
	})
}
