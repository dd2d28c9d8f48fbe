package external_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"gatehouse.internal/domain/external"
)

type object = map[string]any

// The examples of RFC 7396, appendix A, of which both sides are objects.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, patch, want object }{
		{nil, nil, object{}},
		{object{"a": "b"}, object{"a": "c"}, object{"a": "c"}},
		{object{"a": "b"}, object{"b": "c"}, object{"a": "b", "b": "c"}},
		{object{"a": "b"}, object{"a": nil}, object{}},
		{object{"a": "b", "b": "c"}, object{"a": nil}, object{"b": "c"}},
		{object{"a": []any{"b"}}, object{"a": "c"}, object{"a": "c"}},
		{object{"a": "c"}, object{"a": []any{"b"}}, object{"a": []any{"b"}}},
		{object{"a": object{"b": "c"}}, object{"a": object{"b": "d", "c": nil}}, object{"a": object{"b": "d"}}},
		{object{"a": []any{object{"b": "c"}}}, object{"a": []any{1.0}}, object{"a": []any{1.0}}},
		{object{"e": nil}, object{"a": 1.0}, object{"e": nil, "a": 1.0}},
		{object{}, object{"a": object{"bb": object{"ccc": nil}}}, object{"a": object{"bb": object{}}}},
	} {
		got, err := external.Merge(c.data, c.patch)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Merge(%v, %v) = %v, %v, want %v", c.data, c.patch, got, err, c.want)
		}
	}
}

// Merge leaves what it merges as it was.
func TestMergeCopies(t *testing.T) {
	t.Parallel()
	data := object{"a": object{"b": "c"}}
	if _, err := external.Merge(data, object{"a": object{"b": nil}, "x": "y"}); err != nil {
		t.Fatal(err)
	}
	if want := (object{"a": object{"b": "c"}}); !reflect.DeepEqual(data, want) {
		t.Errorf("the data after Merge(): got %v, want %v", data, want)
	}
}

func TestMergeIsBounded(t *testing.T) {
	t.Parallel()
	nested := func(depth int) object {
		o := object{}
		for range depth - 1 {
			o = object{"a": o}
		}
		return o
	}
	text := func(size int) object { return object{"a": strings.Repeat("x", size-len(`{"a":""}`))} }
	for name, c := range map[string]struct {
		data, patch object
		want        error
	}{
		"as deep as may be":        {nil, nested(external.MaxDepth), nil},
		"deeper":                   {nil, nested(external.MaxDepth + 1), external.ErrDeep},
		"as large as may be":       {nil, text(external.MaxBytes), nil},
		"larger":                   {nil, text(external.MaxBytes + 1), external.ErrLarge},
		"larger with what is kept": {object{"b": "c"}, text(external.MaxBytes), external.ErrLarge},
		"a number that is rounded": {nil, object{"a": []any{9007199254740992.0}}, external.ErrNumber},
		"one that is kept":         {object{"a": 9007199254740992.0}, object{"b": 1.0}, nil},
	} {
		if _, err := external.Merge(c.data, c.patch); !errors.Is(err, c.want) {
			t.Errorf("%s: Merge() = %v, want %v", name, err, c.want)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b object
		want bool
	}{
		{nil, nil, true},
		{nil, object{}, true},
		{object{"a": 1.0}, object{"a": 1.0}, true},
		{object{"a": 1.0}, object{"a": 2.0}, false},
		{object{"a": nil}, object{"b": nil}, false},
		{object{"a": 1.0}, nil, false},
	} {
		if got := external.Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
