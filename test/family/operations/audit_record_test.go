package operations_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// machine is an app of somebody's active workspace, with a token that carries
// scopes of this service.
func machine(h *harness.Service, who *harness.Actor, slug string, scopes ...string) (id string, caller *harness.Actor) {
	made := who.Do("APP.REGISTER", harness.P{"name": slug, "slug": slug, "scopes": scopes})
	issued := h.Anonymous().Do("M2M.TOKEN", harness.P{"client_id": slug, "client_secret": made.String("api_key"), "scopes": scopes})
	return made.String("app.id"), h.With(issued.String("access_token"))
}

func TestRecord(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, app := machine(h, alice, "billing", "audit:write")
	occurred := h.Clock.Now().Add(-time.Hour).Format(time.RFC3339Nano)
	recorded := app.Do("AUDIT.RECORD", harness.P{
		"action": "invoice.approved", "actor": harness.P{"id": 42, "name": "Ada <ada@example.com>"},
		"targets": []harness.P{{"id": "2026-118"}, {}}, "context": harness.P{"ip": "192.0.2.1"}, "metadata": harness.P{"amount": 12.5, "tags": []string{"a"}},
		"occurred_at": occurred,
	}).OK()
	entry := recorded.Data["audit_entry"].(harness.P)
	want := harness.P{
		"org_id": alice.OrgID, "app_id": id, "action": "invoice.approved", "actor": harness.P{"id": 42, "name": "Ada <ada@example.com>"},
		"targets": []any{harness.P{"id": "2026-118"}, harness.P{}}, "context": harness.P{"ip": "192.0.2.1"},
		"metadata": harness.P{"amount": 12.5, "tags": []any{"a"}}, "occurred_at": occurred,
	}
	if !equal(t, entry["data"], want) {
		t.Errorf("data %v\nwant %v", entry["data"], want)
	}
	if !equal(t, entry["actor"], harness.P{"kind": "app", "id": id}) || entry["type"] != "audit.recorded" || entry["org_id"] != alice.OrgID ||
		entry["user_id"] != nil || entry["at"] != h.Clock.Now().Format(time.RFC3339Nano) || entry["command"] != "AUDIT.RECORD" {
		t.Errorf("entry %v", entry)
	}
	if items := alice.Do("AUDIT.SEARCH", harness.P{"type": "audit.recorded"}).List("items"); len(items) != 1 || !equal(t, items[0], entry) {
		t.Errorf("found %v\nwant %v", items, entry)
	}
}

func TestRecordOfTheLeast(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	_, app := machine(h, h.SignUp("alice@example.com"), "billing", "audit:write")
	data := app.Do("AUDIT.RECORD", harness.P{"action": "a", "actor": harness.P{"id": nil}}).Data["audit_entry"].(harness.P)["data"].(harness.P)
	if data["occurred_at"] != h.Clock.Now().Format(time.RFC3339Nano) || !equal(t, data["targets"], []any{}) || !equal(t, data["context"], harness.P{}) || !equal(t, data["metadata"], harness.P{}) {
		t.Errorf("data %v", data)
	}
}

// What an app writes is for those who may read its workspace's log.
func TestWhoSeesWhatWasRecorded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, carol := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com")
	member, admin := auditEnter(t, h, bob, alice, "bob@example.com", role.Member), auditEnter(t, h, carol, alice, "carol@example.com", role.Admin)
	_, app := machine(h, alice, "billing", "audit:write", "audit:read")
	_, stranger := machine(h, bob, "other", "audit:read")
	app.Do("AUDIT.RECORD", harness.P{"action": "a", "actor": harness.P{"user_id": bob.UserID}}).OK()
	for name, c := range map[string]struct {
		who  *harness.Actor
		want int
	}{
		"an owner": {alice, 1}, "an admin": {admin, 1}, "an app that may read": {app, 1}, "a superadmin": {h.Superadmin(), 1},
		"a member whom it names": {member, 0}, "that one elsewhere": {bob, 0}, "an app elsewhere": {stranger, 0}, "an admin, elsewhere": {carol, 0},
	} {
		if got := found(t, c.who, harness.P{"type": "audit.recorded"}, "id"); len(got) != c.want {
			t.Errorf("%s sees %d entries, want %d", name, len(got), c.want)
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	_, app := machine(h, alice, "billing", "audit:write")
	at := func(offset time.Duration) string { return h.Clock.Now().Add(offset).Format(time.RFC3339Nano) }
	deep := harness.P{"a": 1}
	for range external.MaxDepth {
		deep = harness.P{"a": deep}
	}
	for name, c := range map[string]struct {
		field string
		value any
		path  string
	}{
		"no action":               {"action", nil, "/action"},
		"an empty action":         {"action", "", "/action"},
		"an action with spaces":   {"action", "it happened", "/action"},
		"a long action":           {"action", strings.Repeat("a", 101), "/action"},
		"no actor":                {"actor", nil, "/actor"},
		"an empty actor":          {"actor", harness.P{}, "/actor"},
		"an actor that is a text": {"actor", "ada", "/actor"},
		"many targets":            {"targets", slices.Repeat([]any{harness.P{}}, 21), "/targets"},
		"a target that is a text": {"targets", []any{"x"}, "/targets/0"},
		"too old":                 {"occurred_at", at(-30*24*time.Hour - time.Microsecond), "/occurred_at"},
		"too far ahead":           {"occurred_at", at(5*time.Minute + time.Microsecond), "/occurred_at"},
		"too deep":                {"metadata", deep, ""},
		"too large":               {"context", harness.P{"t": strings.Repeat("x", external.MaxBytes)}, ""},
	} {
		params := harness.P{"action": "a", "actor": harness.P{"id": "1"}}
		if params[c.field] = c.value; c.value == nil {
			delete(params, c.field)
		}
		r := app.Do("AUDIT.RECORD", params)
		if r.Failure == nil || r.Failure.Code != fault.Validation {
			t.Errorf("%s: %v", name, r.Failure)
		} else if c.path != "" {
			r.Field(c.path)
		}
	}
	good := harness.P{"action": "a", "actor": harness.P{"id": "1"}}
	_, reader := machine(h, alice, "reader", "audit:read")
	for name, who := range map[string]*harness.Actor{"a person": alice, "a superadmin": h.Superadmin(), "an app with another scope": reader} {
		if r := who.Do("AUDIT.RECORD", good); r.Failure == nil || r.Failure.Code != fault.Denied {
			t.Errorf("%s: %v", name, r.Failure)
		}
	}
	if n := len(h.Events(audit.KindRecorded)); n != 0 {
		t.Errorf("%d entries", n)
	}
}
