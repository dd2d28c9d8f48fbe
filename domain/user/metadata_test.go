package user_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/foreign"
	"gatehouse.internal/domain/user"
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
	const most = foreign.MaxBytes - len(`{"<":""}`)
	for _, test := range []struct {
		data map[string]any
		want error
	}{
		{nil, nil},
		{text(most), nil},
		{text(most + 1), user.ErrMetadataLarge},
		{nested(foreign.MaxDepth), nil},
		{nested(foreign.MaxDepth + 1), user.ErrMetadataDeep},
		{map[string]any{"id": float64(foreign.MaxNumber)}, nil},
		{map[string]any{"ids": []any{-1.0 - foreign.MaxNumber}}, user.ErrMetadataNumber},
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
