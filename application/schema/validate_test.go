package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"gatehouse.internal/domain/fault"
)

// with gives the example of everything with one member replaced; "" removes it.
func with(t testing.TB, name, value string) []byte {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(of[everything](t).Example(), &members); err != nil {
		t.Fatal(err)
	}
	members[name] = json.RawMessage(value)
	if value == "" {
		delete(members, name)
	}
	var made bytes.Buffer
	made.WriteByte('{')
	for i, member := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			made.WriteByte(',')
		}
		fmt.Fprintf(&made, "%q:%s", member, members[member])
	}
	made.WriteByte('}')
	return made.Bytes()
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	long := strings.Repeat("x", 100)
	cases := []struct{ name, value, path, message string }{
		{"user", ``, "/user", "is required"},
		{"user", `"usr_1"`, "/user", "has the wrong form, expected like usr_01jd…"},
		{"user", `null`, "/user", "must be a string"},
		{"manager", `7`, "/manager", "must be a string or null"},
		{"new", `null`, "/new", "must be a string"},
		{"limit", `0`, "/limit", "must be at least 1"},
		{"limit", `201`, "/limit", "must be at most 200"},
		{"limit", `1.5`, "/limit", "must be a whole number"},
		{"limit", `"5"`, "/limit", "must be a whole number"},
		{"limit", `99999999999999999999`, "/limit", "must be at most 200"},
		{"limit", `1e400`, "/limit", "is out of range"},
		{"limit", `1e999999999`, "/limit", "is out of range"},
		{"rate", `-1e-999999999`, "/rate", "is out of range"},
		{"rate", `1` + strings.Repeat("0", 1000), "/rate", "is out of range"},
		{"rate", `0`, "/rate", "must be more than 0"},
		{"rate", `1.6`, "/rate", "must be at most 1.5"},
		{"count", `-5`, "/count", "must be at least 0"},
		{"count", `7`, "/count", "must be a multiple of 5"},
		{"plain", `"hunter2"`, "/plain", "must be one of a, b"},
		{"choice", `"hunter2"`, "/choice", "must be one of red, green, null"},
		{"at", `"2026-13-01"`, "/at", "must be a date and time as in RFC 3339, such as 2026-01-31T15:04:05Z"},
		{"at", `"9999-12-31T23:59:59-00:01"`, "/at", "must be a date and time as in RFC 3339, such as 2026-01-31T15:04:05Z"}, // of the year 10000 in UTC
		{"at", `"0001-01-01T00:00:00Z"`, "/at", "must be a date and time as in RFC 3339, such as 2026-01-31T15:04:05Z"},      // the zero time
		{"site", `"hunter2"`, "/site", "must be an absolute URI"},
		{"key", `"hunter2"`, "/key", "must be a UUID"},
		{"on", `"true"`, "/on", "must be true or false"},
		{"blob", `"*"`, "/blob", "must be base64"},
		{"mail", `"a\u0000b"`, "/mail", "must not hold the character U+0000"},
		{"scores", `{"a/b~c":"x"}`, "/scores/a~1b~0c", "must be a whole number"},
		{"by_color", `{"x":["red","blue"]}`, "/by_color/x/1", "must be one of red, green"},
		{"inner", `{"name":"abc","tags":["red"],"hunter2":1}`, "/inner/hunter2", "is not a known parameter"},
		{"inner", `{"name":"ABC","tags":["red"]}`, "/inner/name", "has the wrong form, expected like abc"},
		{"inner", `{"name":"abc","tags":[]}`, "/inner/tags", "must hold at least 1 item"},
		{"inner", `{"name":"abc","tags":["red","red"]}`, "/inner/tags", "must not hold the same item twice"},
		{"inner", `{"name":"abc","tags":["blue","red","red"]}`, "/inner/tags/0", "must be one of red, green"},
		{"inner", `{"name":"abc","tags":["red","green","red","red"]}`, "/inner/tags", "must hold at most 3 items"},
		{"inners", `[{"tags":["red"],"name":"abc"},{"tags":["red"]}]`, "/inners/1/name", "is required"},
		{"inners", `{}`, "/inners", "must be a list"},
		{"nullable", `[]`, "/nullable", "must be an object or null"},
		{long, `1`, "/" + long[:64], "is not a known parameter"},
		{"a\nb\u202e", `1`, "/ab", "is not a known parameter"},
	}
	for _, c := range cases {
		want := []fault.Field{{Path: c.path, Message: c.message}}
		if diff := cmp.Diff(want, made.Validate(with(t, c.name, c.value))); diff != "" {
			t.Errorf("%.40q = %.60s: %s", c.name, c.value, diff)
		}
	}
}

func TestConforming(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	cases := []struct{ name, value string }{
		{"limit", ``},
		{"limit", `200`},
		{"limit", `2.0`},
		{"limit", `2e1`},
		{"manager", `null`},
		{"old", `null`},
		{"choice", `null`},
		{"choice", `"red"`},
		{"choice", `"\u0072ed"`},
		{"nullable", `null`},
		{"mail", `"whatever the value object says"`},
		{"any", `{"deep":[1e999999999]}`},
		{"raw", `null`},
		{"inners", `[]`},
		{"free", `{"a":{"b":[]}}`},
		{`pla\u0069n`, `"a"`},
	}
	for _, c := range cases {
		raw := with(t, c.name, c.value)
		if strings.Contains(c.name, `\`) {
			raw = bytes.ReplaceAll(with(t, "plain", `"a"`), []byte(`"plain"`), []byte(`"`+c.name+`"`))
		}
		if wrong := made.Validate(raw); wrong != nil {
			t.Errorf("%s = %s: %v", c.name, c.value, wrong)
		}
	}
}

func TestAllComplaintsInOrder(t *testing.T) {
	t.Parallel()
	made := of[login](t)
	cases := map[string][]fault.Field{
		`{}`:                       {{Path: "/email", Message: "is required"}, {Path: "/password", Message: "is required"}},
		`{"password":"hunter2"}`:   {{Path: "/email", Message: "is required"}, {Path: "/password", Message: "must be at least 8 characters long"}},
		`{"z":1,"password":false}`: {{Path: "/email", Message: "is required"}, {Path: "/password", Message: "must be a string"}, {Path: "/z", Message: "is not a known parameter"}},
		`[]`:                       {{Message: "must be an object"}},
		`{"email":`:                {{Message: "is not JSON"}},
		``:                         {{Message: "is not JSON"}},
	}
	for raw, want := range cases {
		if diff := cmp.Diff(want, made.Validate([]byte(raw))); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestFloodsAreCutOff(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	flood := with(t, "scores", `{`+strings.TrimSuffix(strings.Repeat(`"x":"y",`, 1<<17), ",")+`}`)
	started := time.Now()
	if wrong := made.Validate(flood); len(wrong) != 50 {
		t.Errorf("%d complaints", len(wrong))
	}
	if spent := time.Since(started); spent > time.Second {
		t.Errorf("took %s", spent)
	}
}

// TestVerdictsAreTheLibrarys holds what this package decides by itself to what
// the library says of the whole document.
func TestVerdictsAreTheLibrarys(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	library := compiled(t, made.JSON())
	var names []string
	var example map[string]json.RawMessage
	if err := json.Unmarshal(made.Example(), &example); err != nil {
		t.Fatal(err)
	}
	names = append(slices.Sorted(maps.Keys(example)), "unknown")
	values := []string{
		``, `null`, `true`, `"a"`, `"red"`, `"abc"`, `""`, `0`, `1`, `5`, `201`, `1.0`, `-0`, `1e1`, `1.5`, `[]`, `{}`, `["red"]`,
		`["red","red"]`, `[null]`, `{"a":1}`, `{"a":[]}`, `{"a":["red"]}`, `"2026-01-31T15:04:05Z"`, `"https://a.example"`,
		`{"name":"abc","tags":["green"]}`, `{"name":"abc","tags":["green"],"x":1}`, `[{"name":"abc","tags":["green"]}]`,
		`"usr_01jd7x9k2mf3q8v5t0abcdefgh"`, `"6f1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f"`, `"ZXhh"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		document := maps.Clone(example)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			document[name] = json.RawMessage(rapid.SampledFrom(values).Draw(t, "value"))
			if len(document[name]) == 0 {
				delete(document, name)
			}
		}
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		value, err := validator.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := made.Validate(raw), library.Validate(value)
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("%s\nours: %v\ntheirs: %v", raw, ours, theirs)
		}
	})
}

func compiled(t testing.TB, document []byte) *validator.Schema {
	t.Helper()
	tree, err := validator.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertContent()
	compiler.RegisterFormat(&validator.Format{Name: "email", Validate: func(any) error { return nil }})
	if err := compiler.AddResource("mem:s", tree); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile("mem:s")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func FuzzValidate(f *testing.F) {
	made := of[everything](f)
	f.Add(made.Example())
	f.Add([]byte(`{"limit":1e9999999999,"inner":{"tags":[[[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if wrong := made.Validate(raw); len(wrong) > 50 {
			t.Errorf("%d complaints", len(wrong))
		}
	})
}
