package user_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/external"
)

func TestMetadataBounds(t *testing.T) {
	t.Parallel()
	text := func(n int) map[string]any { return map[string]any{"<": strings.Repeat("&", n)} }
	nested := func(levels int) map[string]any {
		var value any = "leaf"
		for range levels - 1 {
			value = []any{value}
		}
		return map[string]any{"a": value}
	}
	const most = external.MaxBytes - len(`{"<":""}`)
	for _, test := range []struct {
		data map[string]any
		want error
	}{
		{nil, nil},
		{text(most), nil},
		{text(most + 1), external.ErrLarge},
		{nested(external.MaxDepth), nil},
		{nested(external.MaxDepth + 1), external.ErrDeep},
		{map[string]any{"id": float64(external.MaxNumber)}, nil},
		{map[string]any{"ids": []any{-1.0 - external.MaxNumber}}, external.ErrNumber},
	} {
		u := ada(t)
		err := u.MergeMetadata(test.data, now())
		if !errors.Is(err, test.want) {
			t.Errorf("MergeMetadata() = %v, want %v", err, test.want)
		}
		if err != nil && (u.Changed() || u.Snapshot().Metadata != nil) {
			t.Error("a refused merge left something")
		}
	}
}

func TestMergingNothingNewRaisesNothing(t *testing.T) {
	t.Parallel()
	u := ada(t)
	for _, patch := range []map[string]any{nil, {}, {"absent": nil}} {
		if err := u.MergeMetadata(patch, now()); err != nil || u.Changed() {
			t.Errorf("merging %v: %v, changed %v", patch, err, u.Changed())
		}
	}
}
