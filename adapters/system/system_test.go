package system_test

import (
	"bytes"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/id"
)

type userKind struct{}

func (userKind) Prefix() string { return "usr" }

func TestClock(t *testing.T) {
	t.Parallel()
	for _, offset := range []time.Duration{0, time.Hour, -36 * time.Hour, 1500 * time.Nanosecond} {
		t.Run(offset.String(), func(t *testing.T) {
			t.Parallel()
			before := time.Now().Add(offset)
			now := system.Clock{Offset: offset}.Now()
			after := time.Now().Add(offset)
			if now.Before(before.Truncate(time.Microsecond)) || now.After(after) {
				t.Errorf("Now() = %v, want between %v and %v", now, before, after)
			}
			if now.Location() != time.UTC {
				t.Errorf("Now() is in %v, want UTC", now.Location())
			}
			// == sees a monotonic reading, which no database gives back.
			if now != time.UnixMicro(now.UnixMicro()).UTC() {
				t.Errorf("Now() = %v is finer than a microsecond or carries a monotonic reading", now)
			}
		})
	}
}

func TestMintedIsParsed(t *testing.T) {
	t.Parallel()
	minted := id.New[userKind](system.IDs{})
	if parsed, err := id.Parse[userKind](string(minted)); err != nil || parsed != minted {
		t.Errorf("Parse(%q) = %q, %v", minted, parsed, err)
	}
}

func TestMintRefusesPrefix(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"USR", "u-r", "_usr", "usr_", string(bytes.Repeat([]byte("a"), 64))} {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Errorf("Mint(%q) did not panic", prefix)
				}
			}()
			system.IDs{}.Mint(prefix)
		})
	}
}

func TestUUIDForm(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if plain := (system.IDs{}).UUID(); !form.MatchString(plain) {
		t.Errorf("UUID() = %q, want version 7", plain)
	}
}

// Many are minted in one millisecond here: some 1000 of them.
func TestIDsRise(t *testing.T) {
	t.Parallel()
	const each, workers = 20_000, 4
	all := make([][]string, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for range each {
				all[w] = append(all[w], system.IDs{}.Mint("usr"))
			}
		})
	}
	group.Wait()
	for w, minted := range all {
		for i := 1; i < len(minted); i++ {
			if minted[i-1] >= minted[i] {
				t.Fatalf("worker %d: %s, then %s", w, minted[i-1], minted[i])
			}
		}
	}
	merged := slices.Concat(all...)
	slices.Sort(merged)
	if got := len(slices.Compact(merged)); got != each*workers {
		t.Errorf("%d different ids, want %d", got, each*workers)
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 16, 32, 4096} {
		if got := len(system.Random{}.Bytes(n)); got != n {
			t.Errorf("Bytes(%d) gave %d bytes", n, got)
		}
	}
	if bytes.Equal(system.Random{}.Bytes(16), system.Random{}.Bytes(16)) {
		t.Error("the same 16 bytes twice")
	}
}
