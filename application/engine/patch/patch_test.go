package patch_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/fault"
)

type options struct {
	Size  int      `json:"size" doc:"How large." jsonschema:"minimum=1,maximum=9"`
	Loud  bool     `json:"loud" doc:"How loud."`
	Names []string `json:"names" doc:"What they are called." jsonschema:"maxItems=2"`
}

func values(t *testing.T, text string) patch.Values {
	t.Helper()
	set := patch.Values{}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		t.Fatalf("the test's own values %s: %v", text, err)
	}
	return set
}

func TestApply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, change, after string
		changed                     []string
	}{
		{"sets what is named and keeps the rest", `{"loud":true}`, `{"size":3}`, `{"loud":true,"size":3}`, []string{"size"}},
		{"null takes back", `{"loud":true,"size":3}`, `{"size":null}`, `{"loud":true}`, []string{"size"}},
		{"null of what is not set changes nothing", `{"loud":true}`, `{"size":null}`, `{"loud":true}`, nil},
		{"an equal value changes nothing", `{"names":["a","b"]}`, `{"names": [ "a", "b" ]}`, `{"names":["a","b"]}`, nil},
		{"names come in order", `{}`, `{"size":1,"loud":false,"names":[]}`, `{"loud":false,"names":[],"size":1}`, []string{"loud", "names", "size"}},
		{"another release's value is left alone", `{"color":"red"}`, `{"size":1}`, `{"color":"red","size":1}`, []string{"size"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := values(t, test.before)
			got, err := patch.Apply[options]("/values", before, values(t, test.change))
			if err != nil {
				t.Fatalf("Apply() = %v", err)
			}
			want := values(t, test.after)
			if !maps.EqualFunc(got.Values, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
				t.Errorf("values = %s, want %s", got.Values, want)
			}
			if !slices.Equal(got.Changed, test.changed) {
				t.Errorf("changed = %q, want %q", got.Changed, test.changed)
			}
			if !maps.EqualFunc(before, values(t, test.before), func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
				t.Errorf("the values before were changed to %s", before)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		change string
		paths  []string
	}{
		{`{"color":1}`, []string{"/values/color"}},
		{`{"color":null}`, []string{"/values/color"}},
		{`{"size":0,"loud":"yes","a/b":1}`, []string{"/values/a~1b", "/values/loud", "/values/size"}},
		{`{"size":10}`, []string{"/values/size"}},
		{`{"size":1.5}`, []string{"/values/size"}},
		{`{"size":1.0}`, []string{"/values/size"}},
		{`{"names":["a","b","c"]}`, []string{"/values/names"}},
		{`{"names":["a",2]}`, []string{"/values/names/1"}},
		{`{"names":["a",null]}`, []string{"/values/names/1"}},
	}
	for _, test := range tests {
		t.Run(test.change, func(t *testing.T) {
			t.Parallel()
			_, err := patch.Apply[options]("/values", nil, values(t, test.change))
			refusal, ok := errors.AsType[*fault.Error](err)
			if !ok || refusal.Code != fault.Validation {
				t.Fatalf("Apply() = %v, want a validation fault", err)
			}
			var paths []string
			for _, field := range refusal.Fields {
				paths = append(paths, field.Path)
			}
			if !slices.Equal(paths, test.paths) {
				t.Errorf("fields = %q, want %q", paths, test.paths)
			}
		})
	}
}

// An option that is one of a few may be taken back like any other.
func TestPublishedEnum(t *testing.T) {
	t.Parallel()
	published := patch.Published(nil, values(t, `{"mode":{"type":"string","enum":["on","off"]}}`))
	text, err := json.Marshal(published["properties"])
	if want := `{"mode":{"enum":["on","off",null],"type":["string","null"]}}`; err != nil || string(text) != want {
		t.Errorf("Published() = %s, %v, want %s", text, err, want)
	}
}

func TestPublished(t *testing.T) {
	t.Parallel()
	schemas, err := patch.Schemas[options]()
	if err != nil {
		t.Fatalf("Schemas() = %v", err)
	}
	if got := string(schemas["size"]); got != `{"type":"integer","maximum":9,"minimum":1,"description":"How large."}` {
		t.Errorf("the schema of size = %s", got)
	}
	published, err := json.Marshal(patch.Published(values(t, `{"size":3}`), schemas))
	if err != nil {
		t.Fatalf("Marshal() = %v", err)
	}
	const want = `{"additionalProperties":false,"examples":[{"size":3}],"minProperties":1,"properties":{` +
		`"loud":{"description":"How loud.","type":["boolean","null"]},` +
		`"names":{"description":"What they are called.","items":{"type":"string"},"maxItems":2,"type":["array","null"]},` +
		`"size":{"description":"How large.","maximum":9,"minimum":1,"type":["integer","null"]}},"type":"object"}`
	if string(published) != want {
		t.Errorf("Published() = %s\nwant          %s", published, want)
	}
}
