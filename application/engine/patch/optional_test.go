package patch_test

import (
	"reflect"
	"testing"

	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
)

type optionals struct {
	Name  patch.Optional[string]   `json:"name,omitzero" nullable:"true" doc:"A text."`
	Words patch.Optional[[]string] `json:"words,omitzero" nullable:"true" doc:"Texts."`
	On    patch.Optional[bool]     `json:"on,omitzero" nullable:"true" doc:"A switch."`
}

func TestOptional(t *testing.T) {
	t.Parallel()
	var got optionals
	if err := strictjson.Decode([]byte(`{"name":null,"on":false}`), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Name.Given || got.Name.Value != nil || !got.On.Given || *got.On.Value || got.Words.Given {
		t.Errorf("got %+v", got)
	}
	if err := strictjson.Decode([]byte(`{"words":["a","b"]}`), &got); err != nil || len(*got.Words.Value) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	described := schema.Of(reflect.TypeFor[optionals]())
	if err := described.Check(); err != nil {
		t.Fatal(err)
	}
	for document, ok := range map[string]bool{
		`{}`: true, `{"name":null,"words":null,"on":null}`: true, `{"name":"a","words":["b"],"on":true}`: true,
		`{"name":7}`: false, `{"words":[7]}`: false, `{"on":"yes"}`: false, `{"other":null}`: false,
	} {
		if wrong := described.Validate([]byte(document)); (wrong == nil) != ok {
			t.Errorf("%s: %v", document, wrong)
		}
	}
	if text := string(described.JSON()); len(text) == 0 || reflect.DeepEqual(described.Example(), []byte(`{}`)) {
		t.Errorf("schema %s, example %s", text, described.Example())
	}
}
