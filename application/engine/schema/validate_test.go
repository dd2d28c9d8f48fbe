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

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// with returns the example of everything with one member replaced; "" removes it.
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
		{"user", `"usr_1"`, "/user", "has the wrong format: expected a value like usr_01jd…"},
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
		{"rate", `0`, "/rate", "must be at least 0.25"},
		{"rate", `1.6`, "/rate", "must be at most 1.5"},
		{"count", `-5`, "/count", "must be at least 0"},
		{"plain", `"hunter2"`, "/plain", "must be one of a, b"},
		{"choice", `"hunter2"`, "/choice", "must be one of red, green, null"},
		{"at", `"2026-13-01"`, "/at", "must be a date and time in RFC 3339 format, such as 2026-01-31T15:04:05Z"},
		{"at", `"9999-12-31T23:59:59-00:01"`, "/at", "must be a date and time in RFC 3339 format, such as 2026-01-31T15:04:05Z"}, // of the year 10000 in UTC
		{"at", `"0001-01-01T00:00:00Z"`, "/at", "must be a date and time in RFC 3339 format, such as 2026-01-31T15:04:05Z"},      // the zero time
		{"site", `"hunter2"`, "/site", "must be an absolute URI"},
		{"key", `"hunter2"`, "/key", "must be a UUID"},
		{"on", `"true"`, "/on", "must be true or false"},
		{"free", `{"a":{"b":["x\u0000"]}}`, "/free/a", "must not contain the character U+0000"},
		{"free", `{"a\u0000":1}`, "/free/a", "must not contain the character U+0000"},
		{"free", `{"a":[1e999]}`, "/free/a", "is out of range"},
		{"mail", `"a\u0000b"`, "/mail", "must not contain the character U+0000"},
		{"few", `{}`, "/few", "must contain at least 1 property"},
		{"few", `{"a":1,"b":2,"c":3}`, "/few", "must contain at most 2 properties"},
		{"scores", `{"a/b~c":"x"}`, "/scores/a~1b~0c", "must be a whole number"},
		{"by_color", `{"x":["red","blue"]}`, "/by_color/x/1", "must be one of red, green"},
		{"inner", `{"name":"abc","tags":["red"],"hunter2":1}`, "/inner/hunter2", "is not a known parameter"},
		{"inner", `{"name":"ABC","tags":["red"]}`, "/inner/name", "has the wrong format: expected a value like abc"},
		{"inner", `{"name":"abc","tags":[]}`, "/inner/tags", "must contain at least 1 item"},
		{"inner", `{"name":"abc","tags":["red","red"]}`, "/inner/tags", "must not contain duplicate items"},
		{"inner", `{"name":"abc","tags":["blue","red","red"]}`, "/inner/tags/0", "must be one of red, green"},
		{"inner", `{"name":"abc","tags":["red","green","red","red"]}`, "/inner/tags", "must contain at most 3 items"},
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
		`{"emial":"a@b.c","email":"a@b.c","password":"hunter22"}`: {{Path: "/emial", Message: "is not a known parameter; did you mean email?"}},
		`{"email":"a@b.c","password":"hunter22","parms":{},"dryrun":true}`: {
			{Path: "/dryrun", Message: "is not a known parameter; did you mean dry_run?"},
			{Path: "/parms", Message: "is not a known parameter; did you mean params?"},
		},
		`[]`:        {{Message: "must be an object"}},
		`{"email":`: {{Message: "is not valid JSON"}},
		``:          {{Message: "is not valid JSON"}},
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

// TestLongListsAreNotRead has a list that is too long end the walk, and one that is
// somewhat too long leave what is wrong behind it to be told.
func TestLongListsAreNotRead(t *testing.T) {
	t.Parallel()
	made := of[struct {
		Numbers []int   `json:"numbers" doc:"Numbers." jsonschema:"maxItems=3"`
		Colors  []color `json:"colors,omitzero" doc:"Colors." jsonschema:"uniqueItems=true"`
		Rest    string  `json:"rest" doc:"Rest."`
	}](t)
	many, twice := fault.Field{Path: "/numbers", Message: "must contain at most 3 items"}, fault.Field{Path: "/colors", Message: "must not contain duplicate items"}
	rest := fault.Field{Path: "/rest", Message: "must be a string"}
	for raw, want := range map[string][]fault.Field{
		`{"numbers":[1,2,3],"rest":""}`:                                    nil,
		`{"numbers":[1,2,3,"x"],"rest":1}`:                                 {many, rest},
		`{"numbers":[1,2,3,4,5,6],"rest":1}`:                               {many, rest},
		`{"numbers":[1,2,3,4,5,6,7,8],"rest":1}`:                           {many},
		`{"numbers":[1,2,3,4,5,6,7,8,` + strings.Repeat("9,", 100) + `@`:   {many},
		`{"numbers":["x",2,3,4,5,6,7,8,@`:                                  {many, {Path: "/numbers/0", Message: "must be a whole number"}},
		`{"numbers":[],"colors":["red","green"],"rest":""}`:                nil,
		`{"numbers":[],"colors":["red","red"],"rest":""}`:                  {twice},
		`{"numbers":[],"colors":["red","green","red"],"rest":1}`:           {twice, rest},
		`{"numbers":[],"colors":["red","green","red","red","red","red",@`:  {twice},
		`{"numbers":[],"colors":["red","blue","green"],"rest":""}`:         {{Path: "/colors/1", Message: "must be one of red, green"}},
		`{"numbers":[],"colors":["red","blue","green","red","red","red",@`: {{Path: "/colors/1", Message: "must be one of red, green"}},
	} {
		if diff := cmp.Diff(want, made.Validate([]byte(raw))); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestCheckBounds(t *testing.T) {
	t.Parallel()
	bounded := of[struct {
		Numbers []int   `json:"numbers" doc:"Numbers." jsonschema:"maxItems=3"`
		Colors  []color `json:"colors" doc:"Colors." jsonschema:"uniqueItems=true"`
	}](t)
	if err := bounded.CheckBounds(); err != nil {
		t.Errorf("CheckBounds() = %v", err)
	}
	err := of[struct {
		Inner []struct {
			Numbers []int `json:"numbers" doc:"Numbers."`
		} `json:"inner" doc:"Inner." jsonschema:"maxItems=2"`
		Colors []color          `json:"colors" doc:"Colors."`
		Free   map[string][]int `json:"free" doc:"Free."`
	}](t).CheckBounds()
	for _, path := range []string{`"/colors"`, `"/inner/*/numbers"`, `"/free/*"`} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("CheckBounds() = %v, want a complaint about %s", err, path)
		}
	}
}

// TestVerdictsAreTheLibrarys holds what this package decides to what a validator of
// JSON Schema says.
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
		`["red","red"]`, `[null]`, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"b":2,"c":3}`, `0.25`, `0.2`, `-1`, `1.5e0`, `"\u0061"`, `["red","\u0072ed"]`, `["red",null]`, `{"a":[]}`, `{"a":["red"]}`, `"2026-01-31T15:04:05Z"`, `"https://a.example"`,
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

// What value objects refuse beyond their schemas is told with all the rest, wherever
// they stand.
func TestValueObjectsRead(t *testing.T) {
	t.Parallel()
	type person struct {
		Email email.Address `json:"email" doc:"Address."`
	}
	made := of[struct {
		person

		Other  *email.Address           `json:"other" doc:"Another."`
		Many   []email.Address          `json:"many" doc:"Several."`
		Inner  *person                  `json:"inner,omitzero" doc:"Somebody."`
		ByName map[string]email.Address `json:"by_name,omitzero" doc:"By name."`
		Name   user.DisplayName         `json:"name,omitzero" doc:"Name."`
		Age    int                      `json:"age" doc:"Age." jsonschema:"minimum=18"`
	}](t)
	const wrong = `"a@b@c"`
	got := made.Validate([]byte(`{"email":` + wrong + `,"other":` + wrong + `,"many":["ada@example.com",` + wrong + `],"inner":{"email":` + wrong +
		`},"by_name":{"ada":` + wrong + `},"name":"\u3000","age":17,"emial":1}`))
	bad := email.ErrMalformed.Message
	want := []fault.Field{
		{Path: "/age", Message: "must be at least 18"},
		{Path: "/by_name/ada", Message: bad},
		{Path: "/email", Message: bad},
		{Path: "/emial", Message: "is not a known parameter; did you mean email?"},
		{Path: "/inner/email", Message: bad},
		{Path: "/many/1", Message: bad},
		{Path: "/name", Message: user.ErrNameEmpty.Message},
		{Path: "/other", Message: bad},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := made.Validate([]byte(`{"email":"\u0061da@example.com","other":null,"many":[],"name":"Ada","age":18}`)); got != nil {
		t.Errorf("a document that is right: %v", got)
	}
}
