// Package external judges JSON that applications have this service keep without
// looking into it.
package external

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
)

// Limits of a record.
const (
	MaxBytes = 16 << 10
	MaxDepth = 8
	// MaxNumber is the largest number that all readers of JSON read as it was written
	// (RFC 7493 section 2.2).
	MaxNumber = 1<<53 - 1
)

// Size returns the size of a value as compact JSON, in bytes; for a value that cannot
// be encoded, more than the limit.
func Size(value any) int {
	var encoded bytes.Buffer
	writer := json.NewEncoder(&encoded)
	writer.SetEscapeHTML(false)
	if err := writer.Encode(value); err != nil {
		return MaxBytes + 1
	}
	const newline = 1
	return encoded.Len() - newline
}

// Depth is how many objects and lists lie within each other.
func Depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, Depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, Depth(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}

// Rounded reports whether a number in a value may not be the one that was sent: an
// identifier must not become another's.
func Rounded(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), Rounded)
	case []any:
		return slices.ContainsFunc(v, Rounded)
	case float64:
		return math.Abs(v) > MaxNumber
	default:
		return false
	}
}
