package feature_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	many := feature.Values{}
	for i := range 201 {
		many["k"+strings.Repeat("x", i%60)+string(rune('a'+i%26))+strings.Repeat("y", i/60)] = true
	}
	for name, c := range map[string]struct {
		values feature.Values
		wrong  []string
	}{
		"none":               {nil, nil},
		"each kind":          {feature.Values{"a": true, "b.c-d_e": 3.0, "z9": "text"}, nil},
		"a fraction":         {feature.Values{"a": 1.5}, []string{"/features/a"}},
		"a rounded number":   {feature.Values{"a": 9007199254740992.0}, []string{"/features/a"}},
		"nothing, lists":     {feature.Values{"a": nil, "b": []any{}, "c": map[string]any{}}, []string{"/features/a", "/features/b", "/features/c"}},
		"names":              {feature.Values{"A": true, "1": true, "": true, "a/b": true}, []string{"/features/", "/features/1", "/features/A", "/features/a~1b"}},
		"a long name":        {feature.Values{strings.Repeat("a", 65): true}, []string{"/features/" + strings.Repeat("a", 64)}},
		"a long text":        {feature.Values{"a": strings.Repeat("é", 256)}, []string{"/features/a"}},
		"the longest text":   {feature.Values{"a": strings.Repeat("é", 255)}, nil},
		"more than it takes": {many, []string{"/features"}},
	} {
		err := c.values.Check("/features")
		var paths []string
		if refused, ok := errors.AsType[*fault.Error](err); ok {
			for _, field := range refused.Fields {
				paths = append(paths, field.Path)
			}
		}
		if got, want := strings.Join(paths, " "), strings.Join(c.wrong, " "); got != want {
			t.Errorf("%s: Check() complains about %q, want %q (%v)", name, got, want, err)
		}
	}
}
