package batch_test

import (
	"context"
	"testing"

	"gatehouse.internal/adapters/sqlstore/batch"
)

// nothing is a Run without work: what remains is the group's own cost.
func nothing(_ context.Context, questions []int) ([]batch.Outcome[int], error) {
	return make([]batch.Outcome[int], len(questions)), nil
}

func BenchmarkDo(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.Run("alone", func(b *testing.B) {
		g := batch.Group[int, int]{Run: nothing}
		b.ReportAllocs()
		for b.Loop() {
			_, _ = g.Do(ctx, 1)
		}
	})
	b.Run("64 callers", func(b *testing.B) {
		g := batch.Group[int, int]{Run: nothing}
		b.SetParallelism(32)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = g.Do(ctx, 1)
			}
		})
	})
}
