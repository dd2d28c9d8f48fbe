package cache_test

import (
	"testing"

	"gatehouse.internal/application/engine/cache"
)

func TestWhatWasUsedLongestAgoGoes(t *testing.T) {
	t.Parallel()
	const room = 10
	var k cache.Cache[string, int]
	k.Keep("a", 1, 4, room)
	k.Keep("b", 2, 4, room)
	k.Last("a")
	k.Keep("c", 3, 4, room)
	for key, want := range map[string]int{"a": 1, "b": 0, "c": 3, "d": 0} {
		if got, ok := k.Last(key); got != want || ok != (want > 0) {
			t.Errorf("Last(%s) = %d, %v, want %d", key, got, ok, want)
		}
	}
	k.Keep("a", 5, 11, room)
	if got, ok := k.Last("a"); ok {
		t.Errorf("what has no room is kept: %d", got)
	}
	k.Keep("a", 6, 1, room)
	k.Forget("a")
	if got, ok := k.Last("a"); ok {
		t.Errorf("what was forgotten is kept: %d", got)
	}
}
