package relation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
)

// mostFaults is the maximum number of reported errors of a model.
const mostFaults = 50

// place is the parameter that a model comes in.
const place = "/model"

const schemaVersion = "1.1"

// Parse parses and validates a model in OpenFGA's JSON format. It fails with JSON
// Pointers that begin with /model.
func Parse(text []byte) (*Model, error) {
	m, err := decode(text)
	if err != nil {
		return nil, err
	}
	return m.admit()
}

// Restore parses a stored model, which may exceed bounds that are younger than it.
func Restore(text []byte) (*Model, error) {
	m, err := decode(text)
	if err != nil {
		return nil, err
	}
	return m.finish()
}

func decode(text []byte) (*Model, error) {
	if len(text) > MostModelBytes {
		return nil, fault.Unfit(place, "must not exceed 256 KiB")
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fault.Unfit(place, "must be valid JSON")
	}
	d := &decoder{}
	m := d.model(value)
	if len(d.faults) > 0 {
		return nil, fault.Refuse(d.faults...)
	}
	return m, nil
}

// admit finishes a new model unless it is too large.
func (m *Model) admit() (*Model, error) {
	if err := m.bounded(); err != nil {
		return nil, err
	}
	return m.finish()
}

// finish validates a parsed model and computes its index.
func (m *Model) finish() (*Model, error) {
	if faults := m.validate(); len(faults) > 0 {
		return nil, fault.Refuse(faults...)
	}
	m.link()
	return m, nil
}

// decoder parses a model and collects errors.
type decoder struct{ faults []fault.Field }

func (d *decoder) complain(path, message string) {
	if len(d.faults) < mostFaults {
		d.faults = append(d.faults, fault.Field{Path: path, Message: message})
	}
}

// object reads an object that has no members but those named; null is an empty one.
func (d *decoder) object(path string, value any, members ...string) map[string]any {
	if value == nil {
		return nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		d.complain(path, "must be an object")
		return nil
	}
	if len(members) > 0 {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !slices.Contains(members, name) {
				d.complain(path+fault.Pointer(name), "is not a known member")
			}
		}
	}
	return object
}

// list reads a list; null is an empty one.
func (d *decoder) list(path string, value any) []any {
	if value == nil {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		d.complain(path, "must be a list")
	}
	return list
}

// text reads a text; null is the empty one.
func (d *decoder) text(path string, value any) string {
	if value == nil {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		d.complain(path, "must be a string")
	}
	return text
}

func at(path string, i int) string { return path + "/" + strconv.Itoa(i) }

func (d *decoder) model(value any) *Model {
	m := &Model{}
	object := d.object(place, value, "id", "schema_version", "type_definitions", "conditions")
	if version := d.text(place+"/schema_version", object["schema_version"]); version != schemaVersion {
		d.complain(place+"/schema_version", "must be "+schemaVersion)
	}
	path := place + "/type_definitions"
	for i, one := range d.list(path, object["type_definitions"]) {
		m.Types = append(m.Types, d.typ(at(path, i), one))
	}
	path = place + "/conditions"
	conditions := d.object(path, object["conditions"])
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		m.Conditions = append(m.Conditions, d.condition(path+fault.Pointer(name), name, conditions[name]))
	}
	return m
}

func (d *decoder) typ(path string, value any) *Type {
	object := d.object(path, value, "type", "relations", "metadata")
	t := &Type{Name: d.text(path+"/type", object["type"])}
	relations := d.object(path+"/relations", object["relations"])
	metadata := d.object(path+"/metadata", object["metadata"], "relations", "module", "source_info")
	about := d.object(path+"/metadata/relations", metadata["relations"])
	for _, name := range slices.Sorted(maps.Keys(relations)) {
		t.Relations = append(t.Relations, &Relation{
			Name:    name,
			Rewrite: d.rewrite(path+"/relations"+fault.Pointer(name), relations[name], 1),
			Direct:  d.direct(path+"/metadata/relations"+fault.Pointer(name), about[name]),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(about)) {
		if _, known := relations[name]; !known {
			d.complain(path+"/metadata/relations"+fault.Pointer(name), "is not a relation of this type")
		}
	}
	return t
}

func (d *decoder) direct(path string, value any) []Restriction {
	about := d.object(path, value, "directly_related_user_types", "module", "source_info")
	path += "/directly_related_user_types"
	var all []Restriction
	for i, one := range d.list(path, about["directly_related_user_types"]) {
		path := at(path, i)
		object := d.object(path, one, "type", "relation", "wildcard", "condition")
		wildcard := d.object(path+"/wildcard", object["wildcard"])
		all = append(all, Restriction{
			Type: d.text(path+"/type", object["type"]), Relation: d.text(path+"/relation", object["relation"]),
			Wildcard: wildcard != nil, Condition: d.text(path+"/condition", object["condition"]),
		})
	}
	return all
}

// rewrites returns the members of a rewrite, of which it has one.
func rewrites() []string {
	return []string{"this", "computedUserset", "tupleToUserset", "union", "intersection", "difference"}
}

func (d *decoder) rewrite(path string, value any, nesting int) Rewrite {
	if nesting > mostNesting {
		d.complain(path, "is nested more than 25 levels deep")
		return Rewrite{}
	}
	object := d.object(path, value, rewrites()...)
	if len(object) != 1 {
		d.complain(path, "must have exactly one of "+strings.Join(rewrites(), ", "))
		return Rewrite{}
	}
	for member, of := range object {
		path := path + fault.Pointer(member)
		switch member {
		case "computedUserset":
			return Rewrite{Op: Computed, Relation: d.userset(path, of)}
		case "tupleToUserset":
			both := d.object(path, of, "tupleset", "computedUserset")
			return Rewrite{
				Op: FromParent, Tupleset: d.userset(path+"/tupleset", both["tupleset"]),
				Relation: d.userset(path+"/computedUserset", both["computedUserset"]),
			}
		case "union":
			return Rewrite{Op: Union, Operands: d.operands(path, of, nesting)}
		case "intersection":
			return Rewrite{Op: Intersection, Operands: d.operands(path, of, nesting)}
		case "difference":
			both := d.object(path, of, "base", "subtract")
			return Rewrite{Op: Difference, Operands: []Rewrite{
				d.rewrite(path+"/base", both["base"], nesting+1), d.rewrite(path+"/subtract", both["subtract"], nesting+1),
			}}
		default:
			d.object(path, of)
		}
	}
	return Rewrite{Op: This}
}

// userset reads the name of a relation of the object itself.
func (d *decoder) userset(path string, value any) string {
	object := d.object(path, value, "object", "relation")
	if d.text(path+"/object", object["object"]) != "" {
		d.complain(path+"/object", "must be omitted")
	}
	return d.text(path+"/relation", object["relation"])
}

func (d *decoder) operands(path string, value any, nesting int) []Rewrite {
	object := d.object(path, value, "child")
	list := d.list(path+"/child", object["child"])
	if len(list) == 0 {
		d.complain(path+"/child", "must not be empty")
	}
	made := make([]Rewrite, len(list))
	for i, one := range list {
		made[i] = d.rewrite(at(path+"/child", i), one, nesting+1)
	}
	return made
}

func (d *decoder) condition(path, name string, value any) *Condition {
	object := d.object(path, value, "name", "expression", "parameters", "metadata")
	if given := d.text(path+"/name", object["name"]); given != name {
		d.complain(path+"/name", "must match the key of the condition")
	}
	c := &Condition{Name: name, Expression: d.text(path+"/expression", object["expression"])}
	parameters := d.object(path+"/parameters", object["parameters"])
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		c.Parameters = append(c.Parameters, d.parameter(path+"/parameters"+fault.Pointer(name), name, parameters[name]))
	}
	return c
}

// typeName begins the names of types in JSON.
const typeName = "TYPE_NAME_"

func (d *decoder) parameter(path, name string, value any) Parameter {
	p := Parameter{Name: name}
	var of []any
	p.Type, of = d.valueType(path, value)
	if p.Type.generic() {
		if len(of) != 1 {
			d.complain(path+"/generic_types", "must contain exactly one type")
			return p
		}
		inner := at(path+"/generic_types", 0)
		if p.Of, _ = d.valueType(inner, of[0]); p.Of.generic() {
			d.complain(inner, "must not be a list or map")
		}
	} else if len(of) > 0 {
		d.complain(path+"/generic_types", "is only allowed for lists and maps")
	}
	return p
}

func (d *decoder) valueType(path string, value any) (ValueType, []any) {
	object := d.object(path, value, "type_name", "generic_types")
	name, known := strings.CutPrefix(d.text(path+"/type_name", object["type_name"]), typeName)
	t := ValueType(strings.ToLower(name))
	if !known || strings.ToUpper(name) != name || !slices.Contains(ValueTypes(), t) {
		d.complain(path+"/type_name", "is not a parameter type")
	}
	return t, d.list(path+"/generic_types", object["generic_types"])
}
