package registry_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Each command refuses parameters that it does not have, that are missing, and that
// are not what the schema says, and names them.
func TestParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	unlimited(root)
	machine := root.Machine("machine", everything()...)
	for _, r := range table(t, h) {
		who := h.Anonymous()
		switch {
		case r.public():
		case r.takes(access.Person):
			who = root
		default:
			who = machine
		}
		wrong := func(why string, params P, names ...string) {
			t.Helper()
			got := who.Do(r.Name, params).Failure
			for _, name := range names {
				if got == nil || got.Code != fault.Validation || !complains(got, "/"+name) {
					t.Errorf("%s, %s: %v, want VALIDATION_ERROR at /%s", r.Name, why, got, name)
				}
			}
		}
		for _, text := range []string{"null", "[{}]", `"x"`} {
			if got := who.Send(r.Name, []byte(text)).Failure; got == nil || got.Code != fault.Validation || len(got.Fields) == 0 {
				t.Errorf("%s with the parameters %s: %v, want VALIDATION_ERROR with a path", r.Name, text, got)
			}
		}
		wrong("a parameter that it does not have", with(r.example, nonsense, 1), nonsense)
		if r.properties["cursor"] != nil {
			wrong("a forged cursor", with(r.example, "cursor", "nonsense"), "cursor")
		}
		if len(r.required) > 0 {
			wrong("nothing given", P{}, r.required...)
		}
		for _, params := range mistakes(r.properties) {
			text, _ := json.Marshal(params)
			wrong(fmt.Sprintf("%.200s", text), params, slices.Sorted(maps.Keys(params))...)
		}
	}
}

// mistakes are parameters that are all malformed, each in every way. What has too many
// members stands alone, because one answer lists only so many complaints.
func mistakes(properties map[string]P) []P {
	var all, alone []P
	for name, schema := range properties {
		for _, value := range oversized(schema) {
			alone = append(alone, P{name: value})
		}
		for i, value := range malformed(schema) {
			if i == len(all) {
				all = append(all, P{})
			}
			all[i][name] = value
		}
	}
	return slices.Concat(all, alone)
}

// malformed are values that a schema does not allow: one of each type that it does
// not name, what is beyond each of its bounds, and the same inside.
func malformed(schema P) []any {
	types := typesOf(schema)
	if len(types) == 0 {
		return nil
	}
	values := beyond(schema)
	for kind, value := range map[string]any{"string": "\x00", "number": 0.5, "boolean": true, "array": []any{}, "object": P{}, "null": nil} {
		if !slices.Contains(types, kind) {
			values = append(values, value)
		}
	}
	if items, listed := schema["items"].(P); listed {
		for _, value := range malformed(items) {
			values = append(values, []any{value})
		}
	}
	properties, _ := schema["properties"].(P)
	for name, inner := range properties {
		for _, value := range malformed(inner.(P)) {
			values = append(values, P{name: value})
		}
	}
	return values
}

// beyond are values of the right type that the bounds of a schema leave out.
func beyond(schema P) []any {
	var values []any
	for keyword, value := range map[string]func(bound int) any{
		"minimum":   func(n int) any { return n - 1 },
		"maximum":   func(n int) any { return n + 1 },
		"minLength": func(n int) any { return strings.Repeat("x", n-1) },
		"maxLength": func(n int) any { return strings.Repeat("x", n+1) },
		"minItems":  func(n int) any { return make([]any, n-1) },
	} {
		if bound, said := schema[keyword].(float64); said {
			values = append(values, value(int(bound)))
		}
	}
	format := schema["format"] != nil && schema["format"] != "credential" // which any text is
	if schema["pattern"] != nil || schema["enum"] != nil || format {
		values = append(values, "\x00")
	}
	return values
}

// oversized are values with more members than a schema allows.
func oversized(schema P) []any {
	var values []any
	if most, said := schema["maxItems"].(float64); said {
		values = append(values, make([]any, int(most)+1))
	}
	if most, said := schema["maxProperties"].(float64); said {
		object := P{}
		for i := range int(most) + 1 {
			object[fmt.Sprintf("name_%d", i)] = i
		}
		values = append(values, object)
	}
	return values
}

// typesOf are the types that a schema names; none when any will do.
func typesOf(schema P) []string {
	switch named := schema["type"].(type) {
	case string:
		return []string{named}
	case []any:
		types := make([]string, len(named))
		for i, one := range named {
			types[i], _ = one.(string)
		}
		return types
	}
	return nil
}
