// Package feature defines features and their values by products, licenses, rules and
// overrides (spec/licenses.md section 4).
package feature

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"

	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
)

// Limits of sets of features.
const (
	maxValues = 200
	maxKey    = 64
	maxText   = 255
)

var keyForm = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

// Key names a feature.
type Key string

// SchemaFragment describes the key in a JSON Schema.
func (Key) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": maxKey, "pattern": keyForm.String(), "examples": []any{"export.pdf"},
	}
}

// Values are features by their keys: each is true or false, a whole number or a text.
type Values map[string]any

// Over returns the values with those of others that they do not say themselves.
func (v Values) Over(others Values) Values {
	if len(others) == 0 {
		return v
	}
	all := maps.Clone(others)
	maps.Copy(all, v)
	return all
}

// Check fails with a validation fault that lists every invalid value; path is the JSON
// Pointer of the values in the parameters.
func (v Values) Check(path string) error {
	if len(v) > maxValues {
		return fault.Unfit(path, fmt.Sprintf("must have at most %d keys", maxValues))
	}
	var complaints []fault.Field
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if wrong := unfit(key, v[key]); wrong != "" {
			complaints = append(complaints, fault.Field{Path: path + fault.Pointer(key), Message: wrong})
		}
	}
	if complaints == nil {
		return nil
	}
	return fault.Refuse(complaints...)
}

func unfit(key string, value any) string {
	if len(key) > maxKey || !keyForm.MatchString(key) {
		return "must be named by a lower-case letter followed by up to 63 of a-z, 0-9, '_', '.' and '-'"
	}
	switch given := value.(type) {
	case bool:
		return ""
	case float64:
		if given == math.Trunc(given) && !external.Rounded(given) {
			return ""
		}
	case string:
		if utf8.RuneCountInString(given) <= maxText {
			return ""
		}
	}
	return errForm.Message
}
