package external_test

import (
	"math"
	"testing"

	"gatehouse.internal/domain/external"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value       any
		size, depth int
		rounded     bool
	}{
		"nothing":              {nil, len(`null`), 0, false},
		"a text":               {"<é>", len(`"<é>"`), 0, false},
		"an object":            {map[string]any{"a": []any{}}, len(`{"a":[]}`), 2, false},
		"the deepest counts":   {[]any{map[string]any{"a": []any{1.0}}, 2.0}, len(`[{"a":[1]},2]`), 3, false},
		"what cannot be JSON":  {math.NaN(), external.MaxBytes + 1, 0, false},
		"the largest number":   {9007199254740991.0, len(`9007199254740991`), 0, false},
		"one more":             {9007199254740992.0, len(`9007199254740992`), 0, true},
		"far below, in a list": {map[string]any{"ids": []any{1.0, -1e300}}, len(`{"ids":[1,-1e+300]}`), 2, true},
	} {
		size, depth, rounded := external.Size(c.value), external.Depth(c.value), external.Rounded(c.value)
		if size != c.size || depth != c.depth || rounded != c.rounded {
			t.Errorf("%s: %d bytes, %d deep, rounded %t; want %d, %d, %t", name, size, depth, rounded, c.size, c.depth, c.rounded)
		}
	}
}
