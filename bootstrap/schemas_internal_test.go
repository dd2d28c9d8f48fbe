package bootstrap

import (
	"reflect"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/schema"
	"gatehouse.internal/application/social"
	"gatehouse.internal/application/strictjson"
)

// What is only published is not judged by when the program starts: here it is, for
// every command and every kind of event there is.
func TestPublishedSchemasHold(t *testing.T) {
	t.Parallel()
	p := &parts{store: &sqlstore.Store{}, social: &social.Service{}}
	if err := p.declare(); err != nil {
		t.Fatal(err)
	}
	for _, d := range p.registry.All() {
		if err := d.Result.Check(); err != nil {
			t.Errorf("the result of %s: %v", d.Name, err)
		}
	}
	for _, definition := range eventDefinitions() {
		kind := definition.Example.Kind()
		derived, err := schema.Of(reflect.TypeOf(definition.Example))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		example, err := strictjson.Encode(definition.Example)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if wrong := derived.Validate(example); wrong != nil {
			t.Errorf("the example of %s breaks its schema: %q %s", kind, wrong[0].Path, wrong[0].Message)
		}
	}
}
