package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		body, command, params string
		dry                   bool
	}{
		"no params":         {body: `{"command":"USER.ME"}`, command: "USER.ME", params: `{}`},
		"empty params":      {body: `{"command":"USER.ME","params":{}}`, command: "USER.ME", params: `{}`},
		"params first":      {body: `{"params":{"a":1},"command":"A.B"}`, command: "A.B", params: `{"a":1}`},
		"spaces":            {body: " \t\r\n{ \"command\" : \"A.B\" , \"params\" : { \"a\" : [ ] } } \n", command: "A.B", params: `{ "a" : [ ] }`},
		"sibling":           {body: `{"command":"A.B","limit":5}`, command: "A.B", params: `{"limit":5}`},
		"siblings":          {body: `{"limit":5,"command":"A.B","q":"x","o":{"z":[1]}}`, command: "A.B", params: `{"limit":5,"q":"x","o":{"z":[1]}}`},
		"merged":            {body: `{"limit":5,"command":"A.B","params":{"q":"x"}}`, command: "A.B", params: `{"q":"x","limit":5}`},
		"merged with none":  {body: `{"limit":5,"command":"A.B","params":{ }}`, command: "A.B", params: `{"limit":5}`},
		"dry run":           {body: `{"command":"A.B","dry_run":true}`, command: "A.B", params: `{}`, dry: true},
		"no dry run":        {body: `{"command":"A.B","dry_run":false}`, command: "A.B", params: `{}`},
		"dry run in params": {body: `{"command":"A.B","params":{"dry_run":1}}`, command: "A.B", params: `{"dry_run":1}`},
		"command in params": {body: `{"command":"A.B","params":{"command":"C.D"}}`, command: "A.B", params: `{"command":"C.D"}`},
		"escaped names":     {body: `{"comm\u0061nd":"A\u002eB","p\u0061rams":{},"l\u0069mit":5}`, command: "A.B", params: `{"l\u0069mit":5}`},
		"other case":        {body: `{"command":"a.b","COMMAND":"C.D"}`, command: "a.b", params: `{"COMMAND":"C.D"}`},
		"unicode":           {body: `{"command":"Ü.B","é":"日本"}`, command: "Ü.B", params: `{"é":"日本"}`},
		"null sibling":      {body: `{"command":"A.B","x":null}`, command: "A.B", params: `{"x":null}`},
		"32 deep":           {body: `{"command":"A.B","params":{"x":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}}`, command: "A.B", params: `{"x":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`},
		"brackets in text":  {body: `{"command":"A.B","x":"\"` + strings.Repeat("[", 99) + `"}`, command: "A.B", params: `{"x":"\"` + strings.Repeat("[", 99) + `"}`},
		"wide":              {body: `{"command":"A.B","x":[` + strings.Repeat("[],", 99) + `[]]}`, command: "A.B", params: `{"x":[` + strings.Repeat("[],", 99) + `[]]}`},
		"1000 names":        {body: `{"command":"A.B","x":{` + names(1000) + `}}`, command: "A.B", params: `{"x":{` + names(1000) + `}}`},
		"names in several":  {body: `{"command":"A.B","x":[{` + names(900) + `},{` + names(900) + `}]}`, command: "A.B", params: `{"x":[{` + names(900) + `},{` + names(900) + `}]}`},
		"colons in text":    {body: `{"command":"A.B","x":"` + strings.Repeat(":", 2000) + `"}`, command: "A.B", params: `{"x":"` + strings.Repeat(":", 2000) + `"}`},
		"large number":      {body: `{"command":"A.B","x":1e999}`, command: "A.B", params: `{"x":1e999}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p parser
			got, refused := p.parse([]byte(c.body))
			if refused != nil {
				t.Fatalf("parse() = %v", refused)
			}
			if got.command != c.command || string(got.params) != c.params || got.dryRun != c.dry {
				t.Errorf("parse() = %q %s %v", got.command, got.params, got.dryRun)
			}
		})
	}
}

// names returns n members of an object.
func names(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `"n%d":%d,`, i, i)
	}
	return strings.TrimSuffix(text.String(), ",")
}

func malformedBodies() map[string]string {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	return map[string]string{
		"": "empty input", "  \n": "empty input", "{": "unexpected end", `{"command"`: "unexpected end", `{"command":`: "unexpected end",
		`{"command":"A.B"`: "unexpected end", `{"command":"A.B`: "unexpected end", `{"command":"A.B",`: "unexpected end", "[": "unexpected end", `"`: "unexpected end",
		"nul": "unexpected end", "\xef\xbb\xbf{}": "unexpected", "}": "unexpected", "'a'": "unexpected", "{]": "unexpected",
		`{"command":"A.B",}`: "unexpected", `{command:"A.B"}`: "unexpected", `{'command':"A.B"}`: "unexpected", `{1:2}`: "must be a string",
		`{null:2}`: "must be a string", `{"command" "A.B"}`: "unexpected", `{"command":"A.B" "x":1}`: "unexpected",
		`{"command":}`: "unexpected", `{"command":"A.B","x":01}`: "unexpected", `{"command":"A.B","x":+1}`: "unexpected",
		`{"command":"A.B","x":.5}`: "unexpected", `{"command":"A.B","x":1.}`: "unexpected", `{"command":"A.B","x":NaN}`: "unexpected",
		`{"command":"A.B","x":Infinity}`: "unexpected", `{"command":"A.B","x":undefined}`: "unexpected", `{"command":"A.B","x":True}`: "unexpected",
		`{"command":"A.B","x":0x1}`: "unexpected", `{"command":"A.B"/**/}`: "unexpected", "{\"command\":\"A.B\"//\n}": "unexpected",
		`{"command":"A.B","x":[1,]}`: "unexpected", `{"command":"A.B","x":[,1]}`: "unexpected", `{"command":"A.B","x":[1 2]}`: "unexpected",
		`{"command":"A.B","x":"\q"}`: "unexpected", `{"command":"A.B","x":"\u12"}`: "unexpected", `{"command":"A.B","x":"\ud800"}`: "unexpected",
		`{"command":"A.B","x":"\udc00\ud800"}`: "unexpected", "{\"command\":\"A.B\",\"x\":\"a\nb\"}": "unexpected", "{\"command\":\"A.B\",\"x\":\"\x00\"}": "unexpected",
		"{\"command\":\"A.B\",\"x\":\"\xff\"}": "UTF-8", "{\"command\":\"\xc0\xaf\"}": "UTF-8", "{\"\xed\xa0\x80\":1}": "UTF-8", "{\"command\":\"A.B\"}\xff": "UTF-8",
		`{"command":"A.B"}{}`: "more data", `{"command":"A.B"} {"command":"C.D"}`: "more data", `{"command":"A.B"}]`: "more data", `{"command":"A.B"},`: "more data",
		`{"command":"A.B"}x`: "more data", "{\"command\":\"A.B\"}\x00": "more data", `[] []`: "more data", `{"command":"A.B","command":"A.B"}`: "duplicate",
		`{"command":"A.B","comm\u0061nd":"C.D"}`: "duplicate", `{"command":"A.B","params":{},"params":{}}`: "duplicate", `{"command":"A.B","x":1,"x":1}`: "duplicate",
		`{"command":"A.B","params":{"x":1,"x":2}}`: "duplicate", `{"command":"A.B","params":{"x":[{"y":1,"\u0079":2}]}}`: "duplicate", `{"dry_run":true,"command":"A.B","dry_run":false}`: "duplicate",
		`[]`: "must be an object", `[{"command":"A.B"}]`: "must be an object", `"A.B"`: "must be an object", `1`: "must be an object", `null`: "must be an object", `true`: "must be an object", `-0.1e5`: "must be an object",
		`{"command":"A.B","params":{"x":` + deep(31) + `}}`: "deeper than 32", `{"command":"A.B","x":` + deep(32) + `}`: "deeper than 32",
		`{"command":"A.B","x":` + deep(20_000) + `}`: "deeper than 32", deep(500_000): "deeper than 32", strings.Repeat(`{"a":`, 100_000): "deeper than 32",
		`{"x":"\\",` + `"y":` + deep(40) + `,"command":"A.B"}`: "deeper than 32",
		`{"command":"A.B","params":{` + names(1001) + `}}`:     "more than 1000 names", `{"command":"A.B",` + names(1000) + `}`: "more than 1000 names",
		`{"command":"A.B","x":[{` + names(999) + `,"a":{},"b":[],"c":1`: "more than 1000 names",
	}
}

// A malformed body has no command, and no part of it is quoted.
func TestParseMalformed(t *testing.T) {
	t.Parallel()
	var p parser
	for body, want := range malformedBodies() {
		got, refused := p.parse([]byte(body))
		if refused == nil || refused.Code != fault.Validation || !strings.Contains(refused.Message, want) {
			t.Errorf("parse(%.60q) = %v, want %q", body, refused, want)
			continue
		}
		if !reflect.DeepEqual(got, envelope{}) {
			t.Errorf("parse(%.60q) still gives %v", body, got)
		}
		if len(refused.Message) > 100 {
			t.Errorf("parse(%.60q) = %q", body, refused.Message)
		}
	}
}

func TestParseWrongMembers(t *testing.T) {
	t.Parallel()
	const both = "is given twice, inside and outside params"
	cases := map[string]struct {
		command string
		fields  []fault.Field
	}{
		`{}`:            {"", []fault.Field{{Path: "/command", Message: "is required"}}},
		`{"params":{}}`: {"", []fault.Field{{Path: "/command", Message: "is required"}}},
		`{"Command":"A.B","name":"x"}`: {"", []fault.Field{
			{Path: "/command", Message: "is required"}, {Path: "/Command", Message: "is not a known parameter; did you mean command?"},
		}},
		`{"comand":"A.B","params":{}}`: {"", []fault.Field{
			{Path: "/command", Message: "is required"}, {Path: "/comand", Message: "is not a known parameter; did you mean command?"},
		}},
		`{"command":""}`:                   {"", []fault.Field{{Path: "/command", Message: "must not be empty"}}},
		`{"command":null}`:                 {"", []fault.Field{{Path: "/command", Message: "must be a string"}}},
		`{"command":1}`:                    {"", []fault.Field{{Path: "/command", Message: "must be a string"}}},
		`{"command":["A.B"]}`:              {"", []fault.Field{{Path: "/command", Message: "must be a string"}}},
		`{"command":{"A":"B"}}`:            {"", []fault.Field{{Path: "/command", Message: "must be a string"}}},
		`{"command":true}`:                 {"", []fault.Field{{Path: "/command", Message: "must be a string"}}},
		`{"command":"A.B","params":null}`:  {"A.B", []fault.Field{{Path: "/params", Message: "must be an object"}}},
		`{"command":"A.B","params":[]}`:    {"A.B", []fault.Field{{Path: "/params", Message: "must be an object"}}},
		`{"command":"A.B","params":"{}"}`:  {"A.B", []fault.Field{{Path: "/params", Message: "must be an object"}}},
		`{"command":"A.B","params":0}`:     {"A.B", []fault.Field{{Path: "/params", Message: "must be an object"}}},
		`{"command":"A.B","dry_run":null}`: {"A.B", []fault.Field{{Path: "/dry_run", Message: "must be true or false"}}},
		`{"command":"A.B","dry_run":1}`:    {"A.B", []fault.Field{{Path: "/dry_run", Message: "must be true or false"}}},
		`{"command":"A.B","dry_run":"true"}`: {"A.B", []fault.Field{
			{Path: "/dry_run", Message: "must be true or false"},
		}},
		`{"command":"A.B","x":1,"params":{"x":1}}`:      {"A.B", []fault.Field{{Path: "/x", Message: both}}},
		`{"command":"A.B","params":{"x":1},"\u0078":2}`: {"A.B", []fault.Field{{Path: "/x", Message: both}}},
		`{"params":{"a/b":1,"~":2},"a/b":1,"~":2,"command":"A.B"}`: {"A.B", []fault.Field{
			{Path: "/a~1b", Message: both}, {Path: "/~0", Message: both},
		}},
		`{"params":3,"dry_run":4}`: {"", []fault.Field{
			{Path: "/params", Message: "must be an object"}, {Path: "/dry_run", Message: "must be true or false"}, {Path: "/command", Message: "is required"},
		}},
	}
	for body, c := range cases {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			var p parser
			got, refused := p.parse([]byte(body))
			if refused == nil || refused.Code != fault.Validation || !reflect.DeepEqual(refused.Fields, c.fields) {
				t.Fatalf("parse() = %v, %+v, want %+v", refused, refused.Fields, c.fields)
			}
			if got.command != c.command {
				t.Errorf("command = %q, want %q", got.command, c.command)
			}
			if !strings.Contains(refused.Message, c.fields[0].Message) {
				t.Errorf("message = %q", refused.Message)
			}
		})
	}
}

// A hostile body does not cause a large response.
func TestComplaintsAreBounded(t *testing.T) {
	t.Parallel()
	var inside, beside []string
	for i := range 1000 {
		name := strings.Repeat("n", 1000) + string(rune('a'+i%26)) + strings.Repeat("\u202e", i)
		inside, beside = append(inside, `"`+name+`":1`), append(beside, `"`+name+`":1`)
	}
	body := `{"command":"A.B","params":{` + strings.Join(inside[:40], ",") + `},` + strings.Join(beside[:40], ",") + `}`
	var p parser
	_, refused := p.parse([]byte(body))
	if refused == nil || len(refused.Fields) != maxComplaints || len(refused.Fields[0].Path) != 65 {
		t.Fatalf("parse() = %v", refused)
	}
	if !strings.HasSuffix(refused.Message, "; and 13 more") {
		t.Errorf("message = %q", refused.Message)
	}
}

// FuzzParse compares the parser with encoding/json: accepted bodies are valid there
// with the same command, and the parameters are params merged with the sibling members.
func FuzzParse(f *testing.F) {
	for body := range malformedBodies() {
		if len(body) < 200 {
			f.Add([]byte(body))
		}
	}
	f.Add([]byte(`{"command":"A.B","params":{"a":1},"b":[true,null],"dry_run":true}`))
	f.Add([]byte(`{"command":"A.B","params":{ },"\u0062":"\ud83d\ude00"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var p parser
		before := bytes.Clone(body)
		got, refused := p.parse(body)
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		if refused != nil {
			return
		}
		var all, params map[string]json.RawMessage
		if err := json.Unmarshal(body, &all); err != nil {
			t.Fatalf("encoding/json refuses %q: %v", body, err)
		}
		var command string
		if err := json.Unmarshal(all["command"], &command); err != nil || command != got.command {
			t.Fatalf("command = %q, encoding/json reads %q, %v", got.command, command, err)
		}
		want := map[string]json.RawMessage{}
		if all["params"] != nil {
			if err := json.Unmarshal(all["params"], &want); err != nil {
				t.Fatal(err)
			}
		}
		for name, value := range all {
			if name != "command" && name != "params" && name != "dry_run" {
				want[name] = value
			}
		}
		if err := json.Unmarshal(got.params, &params); err != nil || len(params) != len(want) {
			t.Fatalf("params = %s of %q: %v", got.params, body, err)
		}
		for name := range want {
			if !bytes.Equal(params[name], want[name]) {
				t.Fatalf("params[%q] = %s, want %s", name, params[name], want[name])
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for name, body := range map[string]string{
		"small":    `{"command":"USER.ME","params":{}}`,
		"login":    `{"command":"AUTH.LOGIN","params":{"email":"alice@example.com","password":"correct horse"}}`,
		"siblings": `{"command":"USER.LIST","limit":50,"cursor":"abc"}`,
		"merged":   `{"command":"USER.LIST","limit":50,"params":{"cursor":"abc"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			var p parser
			raw := []byte(body)
			b.ReportAllocs()
			for b.Loop() {
				if _, refused := p.parse(raw); refused != nil {
					b.Fatal(refused)
				}
			}
		})
	}
}
