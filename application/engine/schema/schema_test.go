package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/secret"
)

type userKind struct{}

func (userKind) Prefix() string { return "usr" }

type userID = id.ID[userKind]

type color string

func (color) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{"red", "green"}}
}

type few map[string]any

func (few) SchemaFragment() map[string]any {
	return map[string]any{"type": "object", "minProperties": 1, "maxProperties": 2, "examples": []any{map[string]any{"a": true}}}
}

type login struct {
	Email    string        `json:"email" doc:"Address."`
	Password secret.String `json:"password" doc:"Password." jsonschema:"minLength=8"`
}

type page struct {
	Limit  int    `json:"limit,omitzero" doc:"How many." jsonschema:"minimum=1,maximum=200,default=50"`
	Cursor string `json:"cursor,omitempty" doc:"Where to go on."`
}

type inner struct {
	Name string  `json:"name" doc:"Name." jsonschema:"pattern=^[a-z]{2\\,5}$,example=abc"`
	Tags []color `json:"tags" doc:"Tags." jsonschema:"minItems=1,maxItems=3,uniqueItems=true"`
}

type everything struct {
	page
	User     userID             `json:"user" doc:"User."`
	Manager  *userID            `json:"manager" doc:"Manager."`
	Old      *string            `json:"old,omitzero" doc:"Old." nullable:"true"`
	New      *string            `json:"new,omitzero" doc:"New."`
	Plain    string             `json:"plain" doc:"Plain <&>." jsonschema:"enum=a,enum=b"`
	Choice   *color             `json:"choice" doc:"Choice."`
	At       time.Time          `json:"at" doc:"At."`
	Site     string             `json:"site,omitzero" doc:"Site." jsonschema:"format=uri"`
	Mail     string             `json:"mail,omitzero" doc:"Mail." jsonschema:"format=email"`
	Key      string             `json:"key,omitzero" doc:"Key." jsonschema:"format=uuid"`
	Rate     float64            `json:"rate" doc:"Rate." jsonschema:"minimum=0.25,maximum=1.5"`
	Count    uint16             `json:"count" doc:"Count."`
	On       bool               `json:"on" doc:"On." jsonschema:"default=true"`
	Any      any                `json:"any,omitzero" doc:"Any."`
	Raw      jsontext.Value     `json:"raw,omitzero" doc:"Raw."`
	Free     map[string]any     `json:"free" doc:"Free."`
	Few      few                `json:"few" doc:"Few."`
	Scores   map[string]int     `json:"scores" doc:"Scores."`
	ByColor  map[string][]color `json:"by_color,omitzero" doc:"By color."`
	Inner    inner              `json:"inner" doc:"Inner."`
	Inners   []*inner           `json:"inners" doc:"Inners." jsonschema:"maxItems=4"`
	Nullable *inner             `json:"nullable" doc:"Nullable."`
	hidden   string
	Skipped  chan int `json:"-"`
}

type empty struct{}

func of[T any](t testing.TB) *schema.Schema {
	t.Helper()
	made := schema.Of(reflect.TypeFor[T]())
	if err := made.Check(); err != nil {
		t.Fatal(err)
	}
	return made
}

func TestDocument(t *testing.T) {
	t.Parallel()
	_ = everything{hidden: ""}
	properties := map[string]string{
		"limit":    `{"default":50,"description":"How many.","maximum":200,"minimum":1,"type":"integer"}`,
		"manager":  `{"description":"Manager.","examples":["usr_01jd7x9k2mf3q8v5t0abcdefgh"],"pattern":"^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$","type":["string","null"]}`,
		"old":      `{"description":"Old.","type":["string","null"]}`,
		"new":      `{"description":"New.","type":"string"}`,
		"plain":    `{"description":"Plain <&>.","enum":["a","b"],"type":"string"}`,
		"choice":   `{"description":"Choice.","enum":["red","green",null],"type":["string","null"]}`,
		"at":       `{"description":"At.","format":"date-time","type":"string"}`,
		"count":    `{"description":"Count.","minimum":0,"type":"integer"}`,
		"any":      `{"description":"Any."}`,
		"raw":      `{"description":"Raw."}`,
		"free":     `{"description":"Free.","type":"object"}`,
		"scores":   `{"additionalProperties":{"type":"integer"},"description":"Scores.","type":"object"}`,
		"by_color": `{"additionalProperties":{"items":{"enum":["red","green"],"type":"string"},"type":"array"},"description":"By color.","type":"object"}`,
		"nullable": `{"additionalProperties":false,"description":"Nullable.","properties":{` +
			`"name":{"description":"Name.","examples":["abc"],"pattern":"^[a-z]{2,5}$","type":"string"},` +
			`"tags":{"description":"Tags.","items":{"enum":["red","green"],"type":"string"},"maxItems":3,"minItems":1,"type":"array","uniqueItems":true}` +
			`},"required":["name","tags"],"type":["object","null"]}`,
	}
	document := of[everything](t).JSON()
	var read struct {
		Schema     string                     `json:"$schema"`
		Type       string                     `json:"type"`
		More       *bool                      `json:"additionalProperties"`
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	for name, want := range properties {
		got := jsontext.Value(read.Properties[name])
		if err := got.Format(jsontext.ReorderRawObjects(true)); err != nil || string(got) != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	required := strings.Fields("user manager plain choice at rate count on free few scores inner inners nullable")
	if diff := cmp.Diff(required, read.Required); diff != "" {
		t.Error(diff)
	}
	if read.Schema != "https://json-schema.org/draft/2020-12/schema" || read.Type != "object" || read.More == nil || *read.More {
		t.Errorf("%s", document)
	}
	if bytes.Count(document, []byte("$schema")) != 1 || bytes.Contains(document, []byte(`"$ref"`)) || !bytes.Contains(document, []byte("<&>")) {
		t.Errorf("%s", document)
	}
}

func TestDocumentIsDeterministic(t *testing.T) {
	t.Parallel()
	first := of[everything](t)
	for range 20 {
		again := of[everything](t)
		if !bytes.Equal(first.JSON(), again.JSON()) || !bytes.Equal(first.Example(), again.Example()) {
			t.Fatal("two derivations differ")
		}
	}
}

func TestNothingHandedOutIsShared(t *testing.T) {
	t.Parallel()
	made := of[login](t)
	clear(made.JSON())
	clear(made.Example())
	if made.JSON()[0] != '{' || made.Example()[0] != '{' {
		t.Error("a caller changed the schema")
	}
}

func TestExampleShowsEveryProperty(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	var shown map[string]any
	if err := json.Unmarshal(made.Example(), &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 24 || shown["user"] != "usr_01jd7x9k2mf3q8v5t0abcdefgh" || shown["limit"] != 50.0 {
		t.Errorf("%d %s", len(shown), made.Example())
	}
	var into everything
	if err := strictjson.Decode(made.Example(), &into); err != nil {
		t.Error(err)
	}
}

func TestExampleLeavesOut(t *testing.T) {
	t.Parallel()
	type either struct {
		page
		ID   string `json:"id,omitzero" doc:"One way." jsonschema:"example=a"`
		Name string `json:"name,omitzero" doc:"Another way." example:"-"`
	}
	made := of[either](t)
	if got := string(made.Example()); got != `{"cursor":"example","id":"a","limit":50}` {
		t.Errorf("Example() = %s", got)
	}
	if wrong := made.Validate([]byte(`{"name":"b"}`)); wrong != nil {
		t.Errorf("what the example leaves out: %v", wrong)
	}
}

func TestExampleConforms(t *testing.T) {
	t.Parallel()
	for _, made := range []*schema.Schema{of[everything](t), of[login](t), of[page](t), of[empty](t), of[*inner](t), of[userID](t)} {
		if wrong := made.Validate(made.Example()); wrong != nil {
			t.Errorf("%s: %v", made.Example(), wrong)
		}
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	if !of[empty](t).Empty() || of[page](t).Empty() || of[map[string]any](t).Empty() {
		t.Error("empty is a struct without fields")
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	made := of[everything](t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if wrong := made.Validate(made.Example()); wrong != nil {
					t.Error(wrong)
				}
			}
		})
	}
	group.Wait()
}

// The first who need a schema may come together.
func TestSchemaIsDerivedForManyAtOnce(t *testing.T) {
	t.Parallel()
	type fresh struct {
		Name string `json:"name" doc:"Name." jsonschema:"minLength=2,example=ada"`
	}
	var together sync.WaitGroup
	for range 16 {
		together.Go(func() {
			s := schema.Of(reflect.TypeFor[fresh]())
			wrong := s.Validate([]byte(`{"name":"x"}`))
			if len(wrong) != 1 || string(s.Example()) != `{"name":"ada"}` || !strings.Contains(string(s.JSON()), `"minLength":2`) || s.Check() != nil {
				t.Errorf("derived %s with the example %s; x is refused as %v", s.JSON(), s.Example(), wrong)
			}
		})
	}
	together.Wait()
}
