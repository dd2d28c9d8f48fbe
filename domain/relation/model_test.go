package relation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
)

const header = "model\n  schema 1.1\ntype user\n"

// of is a model with a type t of some relations, one to a line.
func of(lines ...string) string {
	return header + "type t\n  relations\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestDSLAndJSONSayTheSame(t *testing.T) {
	t.Parallel()
	const dsl = header + `
type group
  relations
    define member: [user, user:*, group#member with c]
type doc
  relations
    define parent: [doc]
    define a: [user] or (b and c from parent) # a comment
    define b: [user] but not (a_ or a__)
    define c: [user]
    define a_: [user]
    define a__: a_
condition c(x: int, l: list<string>, m: map<timestamp>) {
  x > 1 && "}" in l
}`
	const text = `{"id":"01H","schema_version":"1.1","type_definitions":[
		{"type":"user","relations":{},"metadata":null},
		{"type":"group","relations":{"member":{"this":{}}},"metadata":{"relations":{"member":{"directly_related_user_types":[
			{"type":"user","condition":""},{"type":"user","wildcard":{}},{"type":"group","relation":"member","condition":"c"}]}},"module":"","source_info":null}},
		{"type":"doc","relations":{
			"parent":{"this":{}},
			"a":{"union":{"child":[{"this":{}},{"intersection":{"child":[{"computedUserset":{"object":"","relation":"b"}},
				{"tupleToUserset":{"tupleset":{"object":"","relation":"parent"},"computedUserset":{"object":"","relation":"c"}}}]}}]}},
			"b":{"difference":{"base":{"this":{}},"subtract":{"union":{"child":[{"computedUserset":{"relation":"a_"}},{"computedUserset":{"relation":"a__"}}]}}}},
			"c":{"this":{}},"a_":{"this":{}},"a__":{"computedUserset":{"relation":"a_"}}},
		 "metadata":{"relations":{
			"parent":{"directly_related_user_types":[{"type":"doc"}]},"a":{"directly_related_user_types":[{"type":"user"}]},
			"b":{"directly_related_user_types":[{"type":"user"}]},"c":{"directly_related_user_types":[{"type":"user"}]},
			"a_":{"directly_related_user_types":[{"type":"user"}]},"a__":{"directly_related_user_types":[]}}}}],
		"conditions":{"c":{"name":"c","expression":"x > 1 && \"}\" in l","parameters":{
			"x":{"type_name":"TYPE_NAME_INT","generic_types":[]},
			"l":{"type_name":"TYPE_NAME_LIST","generic_types":[{"type_name":"TYPE_NAME_STRING"}]},
			"m":{"type_name":"TYPE_NAME_MAP","generic_types":[{"type_name":"TYPE_NAME_TIMESTAMP"}]}}}}}`
	written, err := relation.ParseDSL(dsl)
	if err != nil {
		t.Fatal(err)
	}
	read, err := relation.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	first, second := encoded(t, written), encoded(t, read)
	if first != second {
		t.Errorf("the DSL says\n%s\nthe JSON\n%s", first, second)
	}
	again, err := relation.Parse([]byte(first))
	if err != nil || encoded(t, again) != first {
		t.Errorf("what was encoded reads as another model: %v", err)
	}
}

func encoded(t *testing.T, m *relation.Model) string {
	t.Helper()
	text, err := m.Encode()
	if err != nil || !json.Valid(text) {
		t.Fatalf("Encode() = %s, %v", text, err)
	}
	return string(text)
}

func TestParseDSLRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "line 1: expected model, found end of model",
		"model":                        "schema",
		"model\nschema 1.0\ntype user": "the schema version must be 1.1",
		"module core":                  "modules",
		header + "typo x":              "line 4: expected type or condition, found typo",
		header + "type user":           "the type user is defined twice",
		header + "type self":           "line 4",
		of("define a: [user]", "define a: [user]"):                                "the relation a is defined twice",
		of("define a: [user] or b"):                                               "line 6: a refers to b, which t does not define",
		of("define a: b from c", "define c: [user]"):                              "none of its types define it",
		of("define a: b from c"):                                                  "a follows c, which t does not define",
		of("define a: b from c", "define b: [user]", "define c: [t] or b"):        "must only list types",
		of("define a: b from c", "define b: [user]", "define c: [t, t#b]"):        "must only list plain types, not t#b",
		of("define a: b from c", "define b: [user]", "define c: [t, t:*]"):        "must only list plain types, not t:*",
		of("define a: [robot]"):                                                   "the type robot, which is not defined",
		of("define a: [user#friend]"):                                             "user#friend, which user does not define",
		of("define a: [user, user]"):                                              "a lists user twice",
		of("define a: [user with c]"):                                             "the condition c, which is not defined",
		of("define a: b", "define b: a"):                                          "is defined in terms of itself",
		of("define a: [user] or a"):                                               "a is defined in terms of itself",
		of("define a: [user] but not b", "define b: [user] and a"):                "is defined in terms of itself",
		of("define a: [t#a]"):                                                     "a can never be granted",
		of("define p: [t]", "define a: a from p"):                                 "a can never be granted",
		of("define a: [user] and b", "define b: [t#a]"):                           "a can never be granted",
		of("define a: [user] or b and c", "define b: [user]", "define c: [user]"): "mixed operators need parentheses",
		of("define a: [user] or [user]"):                                          "only one list of types",
		of("define a: ([user]"):                                                   "line 7: expected ), found end of model",
		of("define a: " + strings.Repeat("(", 60) + "[user]"):                     "nested more than 25 levels deep",
		of("define a: [user] but b"):                                              "expected not, found b",
		of("define a: []"):                                                        "expected the name of a type, found ]",
		of("define a b"):                                                          "expected :, found b",
		of("define a: [user]") + "condition c(x: int) {\n  x > 1":                 "missing its closing }",
		of("define a: [user]") + "condition c(x: number) { x > 1 }":               "number is not a parameter type",
		of("define a: [user]") + "condition c(x: list<list<int>>) {":              "cannot contain lists",
		of("define a: [user]") + "condition c() { true }":                         "name of a parameter",
		of("define a: [user]") + "condition c(x-y: int) { true }":                 "letters, digits and _",
		of("define a: [user]") + "condition c(x: int) {  }":                       "has no expression",
		strings.Repeat(" ", relation.MostModelBytes+1):                            "256 KiB",
		"model\n  schema 1.1":                                                     "must have 1 to 100 types",
		header + "type " + strings.Repeat("x", 255):                               "1 to 254 bytes",
	} {
		m, err := relation.ParseDSL(text)
		refused, ok := errors.AsType[*fault.Error](err)
		if !ok || refused.Code != fault.Validation || !strings.Contains(refused.Message, want) || refused.Fields[0].Path != "/model" {
			t.Errorf("ParseDSL(%.80q) = %v, %v, want %q", text, m, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	model := func(types string) string { return `{"schema_version":"1.1","type_definitions":[` + types + `]}` }
	relations := func(rewrite, direct string) string {
		return model(`{"type":"user"},{"type":"t","relations":{"a":` + rewrite + `},"metadata":{"relations":{"a":{"directly_related_user_types":` + direct + `}}}}`)
	}
	const rewrite = "/model/type_definitions/1/relations/a"
	for text, want := range map[string]string{
		`{`:                                     "/model",
		`[]`:                                    "/model",
		`{"schema_version":"1.2"}`:              "/model/schema_version",
		`{"schema_version":1,"more":{}}`:        "/model/more",
		model(``):                               "/model",
		model(`{"type":3}`):                     "/model/type_definitions/0/type",
		model(`{"type":"user"},{"type":"a b"}`): "/model/type_definitions/1/type",
		relations(`{}`, `[]`):                   rewrite,
		relations(`{"this":{},"union":{}}`, `[]`):                               rewrite,
		relations(`{"union":{"child":[]}}`, `[]`):                               rewrite + "/union/child",
		relations(`{"difference":{"base":{"this":{}}}}`, `[{"type":"user"}]`):   rewrite + "/difference/subtract",
		relations(`{"computedUserset":{"object":"x","relation":"b"}}`, `[]`):    rewrite + "/computedUserset/object",
		relations(`{"this":{}}`, `[]`):                                          rewrite,
		relations(`{"computedUserset":{"relation":"b"}}`, `[]`):                 rewrite,
		relations(`{"this":{}}`, `[{"type":"user","typo":1}]`):                  "/model/type_definitions/1/metadata/relations/a/directly_related_user_types/0/typo",
		relations(`{"this":{}}`, `[{"type":"t","relation":"a","wildcard":{}}]`): rewrite,
		model(`{"type":"user","metadata":{"relations":{"x":{}}}}`):              "/model/type_definitions/0/metadata/relations/x",
		`{"schema_version":"1.1","type_definitions":[{"type":"user"}],"conditions":{"c":{"name":"d","expression":"x","parameters":{"x":{"type_name":"INT"}}}}}`: "/model/conditions/c/name",
		relations(strings.Repeat(`{"union":{"child":[`, 40)+`{"this":{}}`+strings.Repeat(`]}}`, 40), `[{"type":"user"}]`):                                       "nested",
	} {
		m, err := relation.Parse([]byte(text))
		refused, ok := errors.AsType[*fault.Error](err)
		if !ok || refused.Code != fault.Validation || !strings.Contains(fmt.Sprint(refused.Fields), want) {
			t.Errorf("Parse(%.100s) = %v, %+v, want %s", text, m, err, want)
		}
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	parse := func(text string) *relation.Model {
		m, err := relation.ParseDSL(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const condition = "condition c(x: int) { x > 1 }"
	before := parse(of("define a: [user, user:*, t#a, user with c]", "define b: [user]") + condition)
	after := parse(of("define a: [user, t#a]", "define b: [user with c]") + condition)
	if got, want := strings.Join(before.Gone(after), " | "), "t#a@user with c | t#a@user:* | t#b@user"; got != want {
		t.Errorf("Gone() = %s, want %s", got, want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	for text, want := range map[string]bool{
		"doc:1": true, "doc:a|b@c.d": true, "doc": false, "doc:": false, ":1": false, "doc:1:2": false, "doc:a#b": false,
		"doc:*": false, "do c:1": false, "doc:1\n": false, "doc:\x00": false, "doc:\xff": false, "doc:" + long: false, "d@c:1": false,
	} {
		if got, err := relation.ParseObject(text); (err == nil) != want || (want && got.String() != text) {
			t.Errorf("ParseObject(%q) = %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]bool{
		"user:1": true, "user:*": true, "team:1#member": true, "team:*#member": false, "team:1#": false, "team:1#a#b": false,
		"team#member": false, "user:1#a b": false, "user:" + long: false, "team:1#" + long[:51]: false, "": false,
	} {
		if got, err := relation.ParseSubject(text); (err == nil) != want || (want && got.String() != text) {
			t.Errorf("ParseSubject(%q) = %v, %v", text, got, err)
		}
	}
}

func FuzzParseDSL(f *testing.F) {
	f.Add(of("define a: ([user, user:*] or b) and c", "define b: c from p", "define p: [t]", "define c: [user with x]") + "condition x(a: list<int>) { \"}\" in {'a': 1} }")
	f.Add("model\nschema 1.1\ntype a # \n#b\ntype c\nrelations define a: [a:*,\n#x\n a#b]")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := relation.ParseDSL(text)
		if err != nil {
			return
		}
		again, err := relation.Parse([]byte(encoded(t, m)))
		if err != nil || encoded(t, again) != encoded(t, m) {
			t.Errorf("%q reads as another model: %v", text, err)
		}
	})
}
