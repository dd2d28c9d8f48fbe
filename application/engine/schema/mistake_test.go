package schema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/engine/schema"
)

type recursive struct {
	Children []recursive `json:"children" doc:"Children."`
}

type selfWritten struct{}

func (selfWritten) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

type referring struct{}

func (referring) SchemaFragment() map[string]any { return map[string]any{"$ref": "#/x"} }

type either struct{}

func (either) SchemaFragment() map[string]any {
	return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}}
}

type embedded struct {
	Name string `json:"name" doc:"Name."`
}

type deep struct {
	Inner struct {
		Field int `json:"field"`
	} `json:"inner" doc:"Inner."`
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		of   any
		says string
	}{
		"recursion": {recursive{}, "recursive contains itself"},
		"no name":   {struct{ A int }{}, "A: it needs a name"},
		"no doc": {struct {
			A int `json:"a"`
		}{}, "A: it needs a doc tag"},
		"nested doc": {deep{}, "Field: it needs a doc tag"},
		"option": {struct {
			A int `json:"a,string" doc:"A."`
		}{}, `json option "string"`},
		"channel": {struct {
			A []chan int `json:"a" doc:"A."`
		}{}, "a chan has no JSON form"},
		"duration": {struct {
			A time.Duration `json:"a" doc:"A."`
		}{}, "number of seconds"},
		"marshaler": {struct {
			A selfWritten `json:"a" doc:"A."`
		}{}, "it marshals itself"},
		"map key": {struct {
			A map[int]int `json:"a" doc:"A."`
		}{}, "keys of a map"},
		"reference": {struct {
			A referring `json:"a" doc:"A."`
		}{}, "$ref"},
		"nullable": {struct {
			A *int `json:"a" doc:"A." nullable:"yes"`
		}{}, "nullable tag"},
		"example": {struct {
			A int `json:"a,omitzero" doc:"A." example:"5"`
		}{}, "example tag"},
		"example of what must be given": {struct {
			A int `json:"a" doc:"A." example:"-"`
		}{}, "example tag"},
		"pointer": {struct{ *embedded }{}, "embedded: it needs a name"},
		"twice": {struct {
			embedded
			Again string `json:"name" doc:"Again."`
		}{}, `two fields are named "name"`},
		"keyword": {struct {
			A int `json:"a" doc:"A." jsonschema:"minLength=2"`
		}{}, `A: jsonschema tag "minLength=2": unknown keyword`},
		"typo": {struct {
			A string `json:"a" doc:"A." jsonschema:"minLenght=2"`
		}{}, "unknown keyword"},
		"no value": {struct {
			A string `json:"a" doc:"A." jsonschema:"required"`
		}{}, "keyword=value"},
		"count": {struct {
			A string `json:"a" doc:"A." jsonschema:"maxLength=x"`
		}{}, "malformed value"},
		"pattern": {struct {
			A string `json:"a" doc:"A." jsonschema:"pattern=("`
		}{}, "malformed value"},
		"format": {struct {
			A string `json:"a" doc:"A." jsonschema:"format=url"`
		}{}, "malformed value"},
		"address": {struct {
			A string `json:"a" doc:"A." jsonschema:"format=ipv4"`
		}{}, "malformed value"},
		"bound": {struct {
			A int `json:"a" doc:"A." jsonschema:"exclusiveMinimum=2"`
		}{}, "unknown keyword"},
		"choice": {struct {
			A either `json:"a" doc:"A."`
		}{}, `a: the keyword "oneOf" of a schema of the types [] is not judged`},
		"bytes": {struct {
			A []byte `json:"a" doc:"A."`
		}{}, `the keyword "contentEncoding"`},
		"list": {struct {
			A []int `json:"a" doc:"A." jsonschema:"minLength=1"`
		}{}, "unknown keyword"},
		"list default": {struct {
			A []string `json:"a" doc:"A." jsonschema:"default=x"`
		}{}, "not supported on a list"},
		"list equals": {struct {
			A []string `json:"a" doc:"A." jsonschema:"pattern=a=b,example=a=b"`
		}{}, "not supported on a list"},
		"no example": {struct {
			A string `json:"a" doc:"A." jsonschema:"pattern=^z$"`
		}{}, `no example found for "/a"`},
		"bad default": {struct {
			A int `json:"a" doc:"A." jsonschema:"maximum=3,default=9"`
		}{}, `"/a", which must be at most 3`},
		"interface": {struct {
			A error `json:"a" doc:"A."`
		}{}, "interface with methods"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := schema.Of(reflect.TypeOf(c.of)).Check()
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nwant %q", err, c.says)
			}
		})
	}
	if schema.Of(nil).Check() == nil {
		t.Error("no type has a schema")
	}
}

// Nothing is derived before it is needed, and then a mistake is told of by a panic.
func TestMistakesShowWhenNeeded(t *testing.T) {
	t.Parallel()
	mistaken := schema.Of(reflect.TypeFor[recursive]())
	if _, err := mistaken.Document(); err == nil || !strings.Contains(err.Error(), "schema_test.recursive: ") {
		t.Errorf("Document() = %v, want an error that names the type", err)
	}
	for name, use := range map[string]func(){
		"Validate": func() { mistaken.Validate([]byte("{}")) },
		"Example":  func() { mistaken.Example() },
		"Empty":    func() { mistaken.Empty() },
		"JSON":     func() { mistaken.JSON() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "schema_test.recursive: ") {
					t.Errorf("recover() = %v, want an error that names the type", err)
				}
			}()
			use()
		})
	}
}
