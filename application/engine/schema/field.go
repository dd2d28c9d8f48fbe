package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// field is one property of an object: a struct field with its parsed tags.
type field struct {
	owner    reflect.Type
	goName   string
	name     string
	of       reflect.Type
	doc      string
	tag      string
	nullable bool
	unshown  bool
}

// fieldsOf returns the properties of a struct, including those of embedded structs. It
// fails for types that the library would silently omit or describe incorrectly.
func fieldsOf(t reflect.Type) ([]field, error) {
	var all []field
	known := map[string]bool{}
	for _, member := range flatten(t) {
		f, err := newField(t, member)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, member.Name, err)
		}
		if known[f.name] {
			return nil, fmt.Errorf("%s.%s: two fields are named %q", t, member.Name, f.name)
		}
		known[f.name] = true
		all = append(all, f)
	}
	return all, nil
}

// flatten lists the fields that JSON encodes, with those of embedded structs in their place.
func flatten(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for member := range t.Fields() {
		switch tag := member.Tag.Get("json"); {
		case tag == "-":
		case member.Anonymous && tag == "" && member.Type.Kind() == reflect.Struct:
			all = append(all, flatten(member.Type)...)
		case member.IsExported() || member.Anonymous:
			all = append(all, member)
		}
	}
	return all
}

func newField(owner reflect.Type, member reflect.StructField) (field, error) {
	name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
	f := field{
		owner: owner, goName: member.Name, name: name, of: member.Type,
		doc: member.Tag.Get("doc"), tag: member.Tag.Get("jsonschema"),
	}
	nullable, example := member.Tag.Get("nullable"), member.Tag.Get("example")
	optional := options != ""
	f.unshown = example == "-"
	f.nullable = nullable == "true" || (member.Type.Kind() == reflect.Pointer && !optional)
	switch why := objection(member.Type); {
	case name == "":
		return f, fmt.Errorf("it needs a name in a json tag")
	case options != "" && options != "omitzero" && options != "omitempty":
		return f, fmt.Errorf("a schema cannot tell the json option %q", options)
	case f.doc == "":
		return f, fmt.Errorf("it needs a doc tag")
	case nullable != "" && nullable != "true":
		return f, fmt.Errorf(`a nullable tag says "true" or is not there`)
	case example != "" && (!f.unshown || !optional):
		return f, fmt.Errorf(`an example tag says "-", of a field that may be absent, or is not there`)
	case why != "":
		return f, fmt.Errorf("%s: %s", member.Type, why)
	}
	return f, nil
}

// finish adds to a property what the library does not read from the tags of its field.
func (f field) finish(property *jsonschema.Schema) error {
	for _, part := range splitTag(f.tag) {
		if err := checkKeyword(property, part); err != nil {
			return fmt.Errorf("%s.%s: jsonschema tag %q: %w", f.owner, f.goName, part, err)
		}
		keyword, _, _ := strings.Cut(part, "=")
		if keyword == "example" {
			keyword = "examples"
		}
		delete(property.Extras, keyword)
	}
	delete(property.Extras, "description")
	property.Description = f.doc
	if f.nullable {
		allowNull(property)
	}
	return nil
}

// allowNull makes a property accept null as well.
func allowNull(property *jsonschema.Schema) {
	if property.Type == "" {
		return
	}
	if property.Extras == nil {
		property.Extras = map[string]any{}
	}
	property.Extras["type"] = []any{property.Type, "null"}
	property.Type = ""
	if len(property.Enum) > 0 {
		property.Enum = append(property.Enum, nil)
	}
	if values, ok := property.Extras["enum"].([]any); ok {
		property.Extras["enum"] = append(slices.Clip(values), nil)
	}
}
