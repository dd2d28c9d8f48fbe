package schema_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/domain/fault"
)

type slug string

func (slug) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "maxLength": 9, "minLength": 2, "description": "A slug.", "examples": []string{"abc"}}
}

type halfNull string

func (halfNull) SchemaFragment() map[string]any {
	return map[string]any{"type": []any{"string", "null"}, "enum": []any{"x"}}
}

type manyTypes struct{}

func (manyTypes) SchemaFragment() map[string]any {
	return map[string]any{"type": []any{"integer", "boolean", "array"}, "items": map[string]any{"type": "object"}, "examples": []any{1}}
}

type rare struct {
	Choice  *string   `json:"choice" doc:"Choice." jsonschema:"enum=a,enum=b"`
	Slug    slug      `json:"slug" doc:"Mine." jsonschema:"minLength=3,example=abcd"`
	Mixed   manyTypes `json:"mixed" doc:"Mixed."`
	Half    halfNull  `json:"half" doc:"Half."`
	Loose   []any     `json:"loose" doc:"Loose." jsonschema:"minItems=2"`
	Phrase  string    `json:"phrase" doc:"Phrase." jsonschema:"minLength=4"`
	Matches [2]int    `json:"matches" doc:"Matches."`
	Broken  int       `json:"broken" doc:"Broken." jsonschema:"minimum=0.5"`
}

const rareExample = `{"choice":"a","slug":"abc","mixed":true,"half":"x","loose":[1,null],` +
	`"phrase":"four","matches":[1,2],"broken":1}`

func TestRareForms(t *testing.T) {
	t.Parallel()
	made := of[rare](t)
	cases := []struct{ old, new, path, message string }{
		{``, ``, "", ""},
		{`"choice":"a"`, `"choice":null`, "", ""},
		{`"choice":"a"`, `"choice":"c"`, "/choice", "must be one of a, b, null"},
		{`"slug":"abc"`, `"slug":"ab"`, "/slug", "must be at least 3 characters long"},
		{`"slug":"abc"`, `"slug":"abcdefghij"`, "/slug", "must be at most 9 characters long"},
		{`"mixed":true`, `"mixed":[{}]`, "", ""},
		{`"mixed":true`, `"mixed":[1]`, "/mixed/0", "must be an object"},
		{`"mixed":true`, `"mixed":1.5`, "/mixed", "must be a whole number"},
		{`"mixed":true`, `"mixed":"x"`, "/mixed", "must be a whole number or true or false or a list"},
		{`"half":"x"`, `"half":null`, "/half", "must be one of x"},
		{`[1,null]`, `[1]`, "/loose", "must contain at least 2 items"},
		{`"phrase":"four"`, `"phrase":"\u0061\n"`, "/phrase", "must be at least 4 characters long"},
		{`"phrase":"four"`, `"phrase":"\u0061\n\"\\"`, "", ""},
		{`[1,null]`, `[1e999999999,{"a":1}]`, "", ""},
		{`"broken":1`, `"broken":0`, "/broken", "must be at least 0.5"},
		{`[1,2]`, `[1,2,3]`, "/matches", "must contain at most 2 items"},
	}
	for _, c := range cases {
		raw := strings.Replace(rareExample, c.old, c.new, 1)
		got := made.Validate([]byte(raw))
		if c.message == "" && got != nil {
			t.Errorf("%s: %v", c.new, got)
		}
		if c.message != "" && !contains(got, fault.Field{Path: c.path, Message: c.message}) {
			t.Errorf("%s: %v\nwant %s %s", c.new, got, c.path, c.message)
		}
	}
}

func contains(all []fault.Field, one fault.Field) bool {
	for _, field := range all {
		if cmp.Equal(field, one) {
			return true
		}
	}
	return false
}

func TestTagsOverrideFragments(t *testing.T) {
	t.Parallel()
	document := of[rare](t).JSON()
	for text, times := range map[string]int{`"minLength":3`: 1, `"minLength":2`: 0, `"A slug."`: 0, `"Mine."`: 1, `["abcd"]`: 1, `["abc"]`: 0} {
		if got := bytes.Count(document, []byte(text)); got != times {
			t.Errorf("%s stands %d times in %s", text, got, document)
		}
	}
}

func TestManyRequired(t *testing.T) {
	t.Parallel()
	for _, count := range []int{63, 64} {
		var fields []reflect.StructField
		var members []string
		for i := range count {
			tag := fmt.Sprintf(`json:"f%02d" doc:"Field."`, i)
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%02d", i), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)})
			members = append(members, fmt.Sprintf(`"f%02d":1`, i))
		}
		made := schema.Of(reflect.StructOf(fields))
		if err := made.Check(); err != nil {
			t.Fatal(err)
		}
		if wrong := made.Validate([]byte("{" + strings.Join(members, ",") + "}")); wrong != nil {
			t.Error(count, wrong)
		}
		for _, missing := range []int{0, count - 1} {
			rest := append(append([]string{}, members[:missing]...), members[missing+1:]...)
			want := []fault.Field{{Path: fmt.Sprintf("/f%02d", missing), Message: "is required"}}
			if diff := cmp.Diff(want, made.Validate([]byte("{"+strings.Join(rest, ",")+"}"))); diff != "" {
				t.Error(count, diff)
			}
		}
	}
}
