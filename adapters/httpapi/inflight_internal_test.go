package httpapi

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestMemoryIsReturnedAfterLargeBodies checks that memory is returned once after large bodies, and never after
// small ones.
func TestMemoryIsReturnedAfterLargeBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		times := 0
		f := &inFlight{relieve: func() { times++ }}
		carry := func(sizes ...int64) {
			t.Helper()
			for i, size := range sizes {
				if err := f.take(strconv.Itoa(i), smallBody, size); err != nil {
					t.Fatalf("%d bytes: %v", size, err)
				}
			}
			for i, size := range sizes {
				f.giveBack(strconv.Itoa(i), smallBody, size)
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
		carry(largeShare, largeShare, largeShare, largeShare)
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
	fill := func(small, large int64) {
		for of := range 8 {
			if err := f.take(strconv.Itoa(of), small, large); err != nil {
				t.Fatalf("the share of %d: %v", of, err)
			}
		}
	}
	empty := func() {
		for of := range 8 {
			f.giveBack(strconv.Itoa(of), smallShare, largeBodies/8)
		}
	}
	for range 2 { // what was given back is there again
		fill(smallShare, 0)
		fill(0, largeBodies/8)
		for of, want := range map[string]error{"0": errShare, "another": errCrowded} {
			if err := f.take(of, 1, 0); !errors.Is(err, want) {
				t.Errorf("a byte more of %s: %v, want %v", of, err, want)
			}
		}
		if err := f.take("another", 0, 1); !errors.Is(err, errCrowded) {
			t.Errorf("a byte more of a large body: %v", err)
		}
		empty()
	}
	if len(f.shares) != 0 {
		t.Errorf("%d addresses are remembered", len(f.shares))
	}
	if err := f.take("0", 0, largeShare+1); !errors.Is(err, errShare) {
		t.Errorf("more large bodies of one address than its share: %v", err)
	}
}
