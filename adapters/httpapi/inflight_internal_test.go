package httpapi

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestRelief checks that memory is returned once after large bodies, and never after
// small ones.
func TestRelief(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		times := 0
		f := &inFlight{relieve: func() { times++ }}
		carry := func(sizes ...int64) {
			t.Helper()
			for _, size := range sizes {
				if !f.take(smallBody, size) {
					t.Fatalf("there is no room for %d bytes", size)
				}
			}
			for _, size := range sizes {
				f.giveBack(smallBody, size)
			}
			synctest.Wait()
		}
		waitFor := func(want int) {
			t.Helper()
			time.Sleep(relieveAfter)
			synctest.Wait()
			if times != want {
				t.Errorf("memory was given back %d times, want %d", times, want)
			}
		}
		carry(0, 0, 0)
		carry(relieved - 1)
		waitFor(0)
		carry(relieved/2, relieved/2)
		carry(relieved)
		waitFor(1)
		carry(1)
		waitFor(1)
		carry(largeBodies)
		waitFor(2)
		if small, large := f.small.Load(), f.large.Load(); small != 0 || large != 0 {
			t.Errorf("%d and %d bytes are still held", small, large)
		}
	})
}

// TestNoRoom checks the limits, and that a rejected body reserves nothing.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	f := &inFlight{relieve: func() {}}
	if !f.take(smallBody, largeBodies) || f.take(smallBody, 1) || !f.take(smallBodies-smallBody, 0) || f.take(1, 0) {
		t.Error("more or less than the bounds is taken")
	}
	f.giveBack(smallBodies-smallBody, 0)
	f.giveBack(smallBody, largeBodies)
	if !f.take(smallBodies, largeBodies) {
		t.Error("what was given back is not there")
	}
}
