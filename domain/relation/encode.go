package relation

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Encode writes the model as OpenFGA's JSON; models that say the same in the same order
// of types have the same text.
func (m *Model) Encode() ([]byte, error) {
	types := make([]any, len(m.Types))
	for i, t := range m.Types {
		types[i] = t.encode()
	}
	object := map[string]any{"schema_version": schemaVersion, "type_definitions": types}
	if len(m.Conditions) > 0 {
		conditions := map[string]any{}
		for _, c := range m.Conditions {
			conditions[c.Name] = c.encode()
		}
		object["conditions"] = conditions
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode a relation model: %w", err)
	}
	return text, nil
}

func (t *Type) encode() any {
	object := map[string]any{"type": t.Name}
	if len(t.Relations) == 0 {
		return object
	}
	relations, about := map[string]any{}, map[string]any{}
	for _, r := range t.Relations {
		relations[r.Name] = r.Rewrite.encode()
		direct := make([]any, len(r.Direct))
		for i, one := range r.Direct {
			direct[i] = one.encode()
		}
		about[r.Name] = map[string]any{"directly_related_user_types": direct}
	}
	object["relations"], object["metadata"] = relations, map[string]any{"relations": about}
	return object
}

func (r Restriction) encode() any {
	object := map[string]any{"type": r.Type}
	if r.Relation != "" {
		object["relation"] = r.Relation
	}
	if r.Wildcard {
		object["wildcard"] = map[string]any{}
	}
	if r.Condition != "" {
		object["condition"] = r.Condition
	}
	return object
}

func (w *Rewrite) encode() any {
	userset := func(name string) any { return map[string]any{"relation": name} }
	operands := make([]any, len(w.Operands))
	for i := range w.Operands {
		operands[i] = w.Operands[i].encode()
	}
	switch w.Op {
	case Computed:
		return map[string]any{"computedUserset": userset(w.Relation)}
	case FromParent:
		return map[string]any{"tupleToUserset": map[string]any{
			"tupleset": userset(w.Tupleset), "computedUserset": userset(w.Relation),
		}}
	case Union:
		return map[string]any{"union": map[string]any{"child": operands}}
	case Intersection:
		return map[string]any{"intersection": map[string]any{"child": operands}}
	case Difference:
		return map[string]any{"difference": map[string]any{"base": operands[0], "subtract": operands[1]}}
	case This:
	}
	return map[string]any{"this": map[string]any{}}
}

func (c *Condition) encode() any {
	parameters := map[string]any{}
	for _, p := range c.Parameters {
		of := map[string]any{"type_name": typeName + strings.ToUpper(string(p.Type))}
		if p.Type.generic() {
			of["generic_types"] = []any{map[string]any{"type_name": typeName + strings.ToUpper(string(p.Of))}}
		}
		parameters[p.Name] = of
	}
	return map[string]any{"name": c.Name, "expression": c.Expression, "parameters": parameters}
}
