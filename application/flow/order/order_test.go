package order_test

import (
	"slices"
	"testing"

	"gatehouse.internal/application/flow/order"
)

func TestSort(t *testing.T) {
	t.Parallel()
	edges := [][2]int{{3, 1}, {1, 0}, {3, 2}, {2, 0}}
	sorted, cycles := order.Sort(4, edges)
	if cycles != nil || len(sorted) != 4 {
		t.Fatalf("sorted %v, cycles %v", sorted, cycles)
	}
	for _, e := range edges {
		if slices.Index(sorted, e[0]) > slices.Index(sorted, e[1]) {
			t.Errorf("%v leads back in %v", e, sorted)
		}
	}
	for name, edges := range map[string][][2]int{"two": {{0, 1}, {1, 0}, {1, 2}}, "itself": {{0, 0}}} {
		sorted, cycles := order.Sort(3, edges)
		if sorted != nil || len(cycles) != 1 {
			t.Errorf("%s: sorted %v, cycles %v", name, sorted, cycles)
		}
	}
}
