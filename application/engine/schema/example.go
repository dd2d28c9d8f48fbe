package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// encodeExample returns an example document of the schema of a type.
func encodeExample(document []byte, t reflect.Type) ([]byte, error) {
	tree, err := parse(document)
	if err != nil {
		return nil, err
	}
	shown := example(tree)
	if members, ok := shown.(map[string]any); ok {
		if err := leaveOut(members, t); err != nil {
			return nil, err
		}
	}
	written, err := jsonv2.Marshal(shown, jsonv2.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write an example: %w", err)
	}
	return written, nil
}

// leaveOut removes the properties whose fields are tagged example:"-".
func leaveOut(members map[string]any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	fields, err := fieldsOf(t)
	for _, f := range fields {
		if f.unshown {
			delete(members, f.name)
		}
	}
	return err
}

// example returns a value that conforms to a schema: in this order, its example, its default,
// one of its constants, or a value of its type.
func example(tree any) any {
	said, _ := tree.(map[string]any)
	for _, keyword := range []string{"examples", "default", "const", "enum"} {
		switch given := said[keyword].(type) {
		case nil:
		case []any:
			if keyword == "default" || keyword == "const" {
				return exact(given)
			}
			if len(given) > 0 {
				return exact(given[0])
			}
		default:
			return exact(given)
		}
	}
	return exampleOfType(said)
}

func exampleOfType(said map[string]any) any {
	kind, _ := said["type"].(string)
	if choices, _ := said["type"].([]any); len(choices) > 0 {
		kind, _ = choices[0].(string)
	}
	switch kind {
	case "string":
		return exampleText(said)
	case "integer", "number":
		return exampleNumber(said)
	case "boolean":
		return true
	case "array":
		return exampleList(said)
	case "null":
		return nil
	default:
		return exampleObject(said)
	}
}

func exampleObject(said map[string]any) any {
	shown := map[string]any{}
	properties, _ := said["properties"].(map[string]any)
	for name, schema := range properties {
		shown[name] = example(schema)
	}
	return shown
}

func exampleList(said map[string]any) any {
	if float(said["maxItems"], 1) < 1 {
		return []any{}
	}
	shown := make([]any, max(1, int(float(said["minItems"], 1))))
	for i := range shown {
		shown[i] = example(said["items"])
	}
	return shown
}

func exampleText(said map[string]any) string {
	const filler = "example "
	if format, _ := said["format"].(string); format != "" {
		if shown := exampleOfFormat(format); shown != "" {
			return shown
		}
	}
	shown := strings.TrimSpace(filler)
	if least := int(float(said["minLength"], 0)); len(shown) < least {
		shown = strings.Repeat(filler, least/len(filler)+1)[:least]
	}
	return shown[:min(len(shown), int(float(said["maxLength"], math.MaxInt32)))]
}

func exampleOfFormat(format string) string {
	switch format {
	case "date-time":
		return "2035-01-31T15:04:05Z"
	case "uri":
		return "https://example.com/"
	case "uuid":
		return "6f1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f"
	case "email":
		return "alice@example.com"
	default:
		return ""
	}
}

func exampleNumber(said map[string]any) float64 {
	return min(math.Ceil(max(float(said["minimum"], 0), 1)), float(said["maximum"], math.MaxFloat64))
}

// float reads the number under a keyword.
func float(keyword any, absent float64) float64 {
	given, _ := keyword.(json.Number)
	value, err := given.Float64()
	if err != nil {
		return absent
	}
	return value
}

// exact returns a number of the schema as it was written.
func exact(value any) any {
	switch value := value.(type) {
	case json.Number:
		return json.RawMessage(value)
	case []any:
		kept := make([]any, len(value))
		for i, item := range value {
			kept[i] = exact(item)
		}
		return kept
	case map[string]any:
		kept := make(map[string]any, len(value))
		for name, member := range value {
			kept[name] = exact(member)
		}
		return kept
	default:
		return value
	}
}
