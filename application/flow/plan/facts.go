package plan

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound"
)

// Facts are the values of the context, by the names of its parts, as expressions take them.
type Facts struct {
	Values map[string]any
	// Email is the address entered, for nodes that count by it. Expressions cannot read
	// it.
	Email string
}

// With returns the facts with others put over them.
func (f Facts) With(values map[string]any) Facts {
	merged := maps.Clone(f.Values)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, values)
	f.Values = merged
	return f
}

// Text returns a text of an object of the context, or "".
func (f Facts) Text(of, name string) string {
	object, _ := f.Values[of].(map[string]any)
	text, _ := object[name].(string)
	return text
}

// Number returns a whole number of an object of the context, or 0.
func (f Facts) Number(of, name string) int64 {
	object, _ := f.Values[of].(map[string]any)
	number, _ := object[name].(int64)
	return number
}

// Read parses a made-up context by the schema of the trigger. Omitted values have the
// schema's defaults.
func Read(t flow.Trigger, given map[string]any, now time.Time) (Facts, []fault.Field) {
	r := reader{now: now}
	facts := Facts{Values: map[string]any{}}
	known := partsOf(t)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(known, func(p part) bool { return p.name == name }) {
			r.complain("is not in the context of the trigger "+string(t), name)
		}
	}
	for _, p := range known {
		value, stands := given[p.name]
		switch {
		case p.fields != nil:
			facts.Values[p.name] = r.object(p, value, stands)
		case stands:
			facts.Values[p.name] = r.value(p.plain, value, p.name)
		default:
			facts.Values[p.name] = p.absent
		}
	}
	facts.Values["trigger"] = string(t)
	if facts.Values["now"] == nil {
		facts.Values["now"] = now
	}
	return facts, r.found
}

// reader reads a context.
type reader struct {
	now   time.Time
	found []fault.Field
}

func (r *reader) complain(message string, path ...string) {
	r.found = append(r.found, fault.Field{Path: "/context" + fault.Pointer(path...), Message: message})
}

func (r *reader) object(p part, value any, stands bool) any {
	if stands && value == nil && p.nullable {
		return nil
	}
	given, isObject := value.(map[string]any)
	if stands && !isObject {
		r.complain("must be an object", p.name)
	}
	read := map[string]any{}
	for _, f := range p.fields {
		read[f.name] = f.absent
		if f.kind == outbound.TimeField && f.name == "created_at" {
			read[f.name] = r.now
		}
		if of, known := given[f.name]; known && of != nil {
			read[f.name] = r.value(f.kind, of, p.name, f.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(p.fields, func(f field) bool { return f.name == name }) {
			r.complain("is not in the context", p.name, name)
		}
	}
	return read
}

// value reads a value of a kind from JSON.
func (r *reader) value(kind outbound.VariableType, value any, path ...string) any {
	switch kind {
	case outbound.TextField:
		if text, ok := value.(string); ok {
			return text
		}
		r.complain("must be a string", path...)
	case outbound.FlagField:
		if flag, ok := value.(bool); ok {
			return flag
		}
		r.complain("must be true or false", path...)
	case outbound.IntValue:
		if number, ok := value.(float64); ok && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
			return int64(number)
		}
		r.complain("must be a whole number", path...)
	case outbound.TimeField:
		text, _ := value.(string)
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at.UTC()
		}
		r.complain("must be a time in RFC 3339 format", path...)
	case outbound.TextsField, outbound.ListValue:
		return r.list(kind, value, path...)
	default:
		return value
	}
	return nil
}

func (r *reader) list(kind outbound.VariableType, value any, path ...string) any {
	items, ok := value.([]any)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		text, isText := item.(string)
		ok = ok && isText
		texts = append(texts, text)
	}
	if !ok {
		r.complain("must be a list of strings", path...)
	}
	if kind == outbound.TextsField {
		return texts
	}
	return Anys(texts)
}

// Anys returns a list of texts as expressions take a plain value.
func Anys(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// Domain returns the part after the @ of an address.
func Domain(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
