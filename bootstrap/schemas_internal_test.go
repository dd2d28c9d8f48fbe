package bootstrap

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"gatehouse.internal/application/engine/schema"
)

// Schemas are derived lazily; this test finds invalid types of commands and events.
func TestSchemasHold(t *testing.T) {
	t.Parallel()
	p := storeless()
	if err := p.declare(); err != nil {
		t.Fatal(err)
	}
	if err := p.registry.Check(); err != nil {
		t.Error(err)
	}
	if err := p.kinds.Check(); err != nil {
		t.Error(err)
	}
}

// The service accepts what published schemas accept: a JSON Schema validator accepts no
// text, number, list or object that the service rejects, except for texts parsed by
// value objects.
func TestParametersAreJudgedAsPublished(t *testing.T) {
	t.Parallel()
	p := storeless()
	if err := p.declare(); err != nil {
		t.Fatal(err)
	}
	values := []string{
		`null`, `true`, `0`, `1`, `-1`, `90`, `1.0`, `1.5`, `100000000`, `99999999999999999999`, `""`, `"a"`, `"x y"`, `"https://a.example/"`, `"2026-01-31T15:04:05Z"`,
		`"usr_01jd7x9k2mf3q8v5t0abcdefgh"`, `[]`, `["a"]`, `["a","\u0061"]`, `[1]`, `{}`, `{"a":1}`, `{"a":null,"b":{"c":[]}}`,
	}
	for _, d := range p.registry.All() {
		theirs := library(t, d.Params)
		var example map[string]json.RawMessage
		if err := json.Unmarshal(d.Params.Example(), &example); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(slices.Sorted(maps.Keys(example)), "unknown") {
			for _, value := range values {
				changed := maps.Clone(example)
				changed[name] = json.RawMessage(value)
				raw, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				document, err := validator.UnmarshalJSON(bytes.NewReader(raw))
				if err != nil {
					t.Fatal(err)
				}
				wrong, refusal := d.Params.Validate(raw), theirs.Validate(document)
				if (wrong == nil) != (refusal == nil) && (wrong == nil || value[0] != '"' && value[0] != '[') {
					t.Errorf("%s with %s = %s: %v, by its schema %v", d.Name, name, value, wrong, refusal)
				}
			}
		}
	}
}

// library compiles a schema with a validator library.
func library(t *testing.T, of *schema.Schema) *validator.Schema {
	t.Helper()
	document, err := validator.UnmarshalJSON(bytes.NewReader(of.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	compiler.RegisterFormat(&validator.Format{Name: "email", Validate: func(any) error { return nil }})
	if err := compiler.AddResource("mem:params", document); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile("mem:params")
	if err != nil {
		t.Fatal(err)
	}
	return made
}
