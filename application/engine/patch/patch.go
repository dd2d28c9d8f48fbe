// Package patch changes options by name: a JSON value sets an option, null resets it to
// its default, and others stay unchanged. The options are the fields of a struct.
package patch

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/spelling"
)

// Values are options that are set, by name, as JSON.
type Values = map[string]json.RawMessage

// Outcome is the result of a change.
type Outcome struct {
	// Values are all options that are set after it.
	Values Values
	// Changed are the names of those that were set otherwise before, in order.
	Changed []string
}

// Schemas returns the JSON Schema of every option of T by its name. Its errors are
// mistakes in T.
func Schemas[T any]() (Values, error) {
	return properties(schema.Of(reflect.TypeFor[T]()))
}

func properties(described *schema.Schema) (Values, error) {
	text, err := described.Document()
	if err != nil {
		return nil, err
	}
	var document struct {
		Properties Values `json:"properties"`
	}
	// The schema has more keywords than this, so it is not read strictly.
	err = json.Unmarshal(text, &document)
	return document.Properties, err
}

// Apply puts a change over the options of T that were set before. It fails with
// a validation fault that names each unknown or unfit option below a place.
func Apply[T any](place string, before, change Values) (Outcome, error) {
	described := schema.Of(reflect.TypeFor[T]())
	known, err := properties(described)
	if err != nil {
		return Outcome{}, err
	}
	var complaints []fault.Field
	set := Values{}
	for name, value := range change {
		switch _, ok := known[name]; {
		case !ok:
			complaints = append(complaints, fault.Field{Path: place + fault.Pointer(name), Message: unknown(name, slices.Sorted(maps.Keys(known)))})
		case !null(value):
			set[name] = value
		}
	}
	set, unfit, err := canonical[T](described, set)
	if err != nil {
		return Outcome{}, err
	}
	if complaints = append(complaints, below(place, unfit)...); len(complaints) > 0 {
		slices.SortFunc(complaints, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
		return Outcome{}, fault.Refuse(complaints...)
	}
	return merge(before, change, set), nil
}

// manyKnown is from how many known options on only the nearest is named.
const manyKnown = 20

// unknown returns the error of an unknown option, with the known ones.
func unknown(name string, known []string) string {
	hint := spelling.Hint(name, known)
	if hint != "" && len(known) >= manyKnown {
		return "is not a known name" + hint
	}
	return "is not a known name: use one of " + strings.Join(known, ", ") + hint
}

func null(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }

// canonical returns values in the encoding of T, or the errors of invalid ones.
func canonical[T any](described *schema.Schema, set Values) (Values, []fault.Field, error) {
	raw, err := strictjson.Encode(set)
	if err != nil {
		return nil, nil, err
	}
	unfit := slices.DeleteFunc(described.Validate(raw), func(f fault.Field) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "/"), "/")
		return set[name] == nil
	})
	if len(unfit) > 0 {
		return nil, unfit, nil
	}
	var read T
	if err := strictjson.Decode(raw, &read); err != nil {
		unfit = fault.From(err).Fields
		if len(unfit) == 0 {
			return nil, nil, err
		}
		return nil, unfit, nil
	}
	all, err := Of(read)
	if err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return set[name] == nil })
	return all, nil, nil
}

func below(place string, complaints []fault.Field) []fault.Field {
	for i := range complaints {
		complaints[i].Path = place + complaints[i].Path
	}
	return complaints
}

func merge(before, change, set Values) Outcome {
	done := Outcome{Values: Values{}, Changed: []string{}}
	maps.Copy(done.Values, before)
	for _, name := range slices.Sorted(maps.Keys(change)) {
		was, held := before[name]
		now, holds := set[name]
		if held == holds && bytes.Equal(was, now) {
			continue
		}
		done.Changed = append(done.Changed, name)
		delete(done.Values, name)
		if holds {
			done.Values[name] = now
		}
	}
	return done
}

// Of returns every option of a struct by its name.
func Of(options any) (Values, error) {
	raw, err := strictjson.Encode(options)
	if err != nil {
		return nil, err
	}
	all := Values{}
	err = strictjson.Decode(raw, &all)
	return all, err
}

// Published returns the JSON Schema of a change to options with these schemas, each of
// which may be null.
func Published(example Values, schemas ...Values) map[string]any {
	properties := map[string]any{}
	for _, some := range schemas {
		for name, described := range some {
			properties[name] = nullable(described)
		}
	}
	return map[string]any{
		"type": "object", "minProperties": 1, "additionalProperties": false,
		"properties": properties, "examples": []any{example},
	}
}

func nullable(described json.RawMessage) any {
	var property map[string]any
	if err := json.Unmarshal(described, &property); err != nil {
		return map[string]any{}
	}
	property["type"] = []any{property["type"], "null"}
	if values, listed := property["enum"].([]any); listed {
		property["enum"] = append(values, nil)
	}
	return property
}
