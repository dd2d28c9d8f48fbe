package operations_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestKindList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	var all []string
	for _, item := range h.Anonymous().Do("EVENT.KIND_LIST", nil).OK().List("items") {
		all = append(all, item["type"].(string))
		if item["version"] != 1.0 || !strings.HasSuffix(item["summary"].(string), ".") {
			t.Errorf("%v", item)
		}
	}
	if !slices.IsSorted(all) || !slices.Contains(all, "user.created") || !slices.Contains(all, "session.revoked") {
		t.Errorf("kinds %v", all)
	}
	var ofSessions []string
	for _, item := range h.Anonymous().Do("EVENT.KIND_LIST", harness.P{"resource": "session"}).OK().List("items") {
		ofSessions = append(ofSessions, item["type"].(string))
	}
	want := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return !strings.HasPrefix(kind, "session.") })
	if len(want) < 4 || !slices.Equal(ofSessions, want) {
		t.Errorf("kinds of sessions %v, want %v", ofSessions, want)
	}
	if none := h.Anonymous().Do("EVENT.KIND_LIST", harness.P{"resource": "sess"}).OK().List("items"); len(none) > 0 {
		t.Errorf("kinds of sess: %v", none)
	}
}

// TestKindGet gets every kind and compares what it says of commands with what
// the commands say of it.
func TestKindGet(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	emitters := map[string][]string{}
	for _, d := range h.Engine.Catalog() {
		for _, kind := range d.Events {
			emitters[string(kind)] = append(emitters[string(kind)], d.Name)
		}
	}
	for _, item := range h.Anonymous().Do("EVENT.KIND_LIST", nil).OK().List("items") {
		kind := item["type"].(string)
		got := h.Anonymous().Do("EVENT.KIND_GET", harness.P{"type": kind}).OK()
		if got.String("type") != kind || got.String("summary") != item["summary"] {
			t.Errorf("%s is %v", kind, got.Data)
		}
		if got.String("schema.$schema") != "https://json-schema.org/draft/2020-12/schema" || got.String("schema.type") != "object" {
			t.Errorf("%s: schema %v", kind, got.Data["schema"])
		}
		for name := range got.Data["example"].(harness.P) {
			if !got.Has("schema.properties." + name) {
				t.Errorf("%s: the example has %s, which the schema does not", kind, name)
			}
		}
		if commands := got.Strings("commands"); !slices.Equal(commands, emitters[kind]) {
			t.Errorf("%s is emitted by %v, want %v", kind, commands, emitters[kind])
		}
	}
}

// TestStoredEventsHaveThePublishedForm holds what is stored against the schema's
// names.
func TestStoredEventsHaveThePublishedForm(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("alice@example.com").Do("AUTH.LOGOUT", nil).OK()
	stored := h.Events("")
	if len(stored) < 4 {
		t.Fatalf("%d events", len(stored))
	}
	for _, record := range stored {
		got := h.Anonymous().Do("EVENT.KIND_GET", harness.P{"type": string(record.Kind)}).OK()
		var content map[string]any
		if err := json.Unmarshal(record.Data, &content); err != nil {
			t.Fatal(err)
		}
		for name := range content {
			if !got.Has("schema.properties." + name) {
				t.Errorf("%s: %s is stored and not described", record.Kind, name)
			}
		}
		for _, name := range got.Strings("schema.required") {
			if _, present := content[name]; !present {
				t.Errorf("%s: %s is required and not stored", record.Kind, name)
			}
		}
	}
}

func TestKindGetRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Anonymous().Do("EVENT.KIND_GET", harness.P{"type": "user.vanished"}).Fails(fault.NotFound)
}
