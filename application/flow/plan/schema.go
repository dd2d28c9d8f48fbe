package plan

import (
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound"
)

// ContextSchema returns the JSON Schema of the context of a trigger, with the defaults
// of FLOW.TEST.
func ContextSchema(t flow.Trigger) map[string]any {
	properties := map[string]any{}
	for _, p := range partsOf(t) {
		properties[p.name] = describe(p)
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

func describe(p part) map[string]any {
	if p.fields == nil {
		return withDefault(kindOf(p.plain), p.doc, p.absent)
	}
	fields := map[string]any{}
	for _, f := range p.fields {
		fields[f.name] = withDefault(kindOf(f.kind), f.doc, f.absent)
	}
	described := map[string]any{"type": "object", "description": p.doc, "additionalProperties": false, "properties": fields}
	if p.nullable {
		described["type"] = []any{"object", "null"}
	}
	return described
}

func withDefault(described map[string]any, doc string, absent any) map[string]any {
	described["description"] = doc
	if absent != nil {
		described["default"] = absent
	}
	return described
}

func kindOf(kind outbound.VariableType) map[string]any {
	switch kind {
	case outbound.FlagField:
		return map[string]any{"type": "boolean"}
	case outbound.IntValue:
		return map[string]any{"type": "integer"}
	case outbound.TimeField:
		return map[string]any{"type": "string", "format": "date-time"}
	case outbound.TextsField, outbound.ListValue:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case outbound.AnyField:
		return map[string]any{"type": "object"}
	default:
		return map[string]any{"type": "string"}
	}
}
