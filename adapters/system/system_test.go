package system_test

import (
	"bytes"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
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
	for _, ids := range []system.IDs{{}, system.NewIDs(nil), system.NewIDs(new(hand))} {
		for range 100 {
			if plain := ids.UUID(); !form.MatchString(plain) {
				t.Fatalf("UUID() = %q, want version 7", plain)
			}
		}
	}
}

// hand is a clock that is moved by hand, and stands still otherwise.
type hand struct{ at atomic.Int64 }

func (h *hand) Now() time.Time { return time.UnixMicro(h.at.Load()).UTC() }

// Many are minted in one millisecond here: some 1000 of them, or all.
func TestIDsRise(t *testing.T) {
	t.Parallel()
	const each, workers = 20_000, 4
	for name, ids := range map[string]system.IDs{
		"the machine's clock": {}, "another clock": system.NewIDs(system.Clock{Offset: time.Hour}),
		"no clock": system.NewIDs(nil), "a clock that stands still": system.NewIDs(new(hand)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := make([][]string, workers)
			var group sync.WaitGroup
			for w := range workers {
				group.Go(func() {
					for range each {
						all[w] = append(all[w], ids.UUID())
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
			for i, one := range merged {
				merged[i] = one[:len("00000000-0000-7000")] // the time, without what is random
			}
			if got := len(slices.Compact(merged)); got != each*workers {
				t.Errorf("%d different times, want %d", got, each*workers)
			}
		})
	}
}

func TestIDsCarryTheClock(t *testing.T) {
	t.Parallel()
	clock := new(hand)
	ids, last := system.NewIDs(clock), ""
	start := time.Date(2026, 5, 4, 12, 0, 0, 999999000, time.UTC)
	for _, c := range []struct{ now, want time.Time }{
		{start, start},
		{start.Add(time.Hour), start.Add(time.Hour)},
		{start, start.Add(time.Hour)}, // it stepped back
		{start.Add(time.Hour), start.Add(time.Hour)},
		{start.Add(time.Hour + time.Microsecond), start.Add(time.Hour + time.Microsecond)},
		{start.Add(2 * time.Hour), start.Add(2 * time.Hour)},
		{time.UnixMicro(-1), start.Add(2 * time.Hour)},
	} {
		clock.at.Store(c.now.UnixMicro())
		minted := id.New[userKind](ids)
		if got, want := minted.Time(), c.want.Truncate(time.Millisecond); got.Sub(want) < 0 || got.Sub(want) > time.Millisecond {
			t.Errorf("at %v an identifier of %v was minted, want %v", c.now, got, want)
		}
		if minted.String() <= last {
			t.Errorf("%s, then %s", last, minted)
		}
		last = minted.String()
	}
}

// Another source, as that of another test, has a time of its own.
func TestSourcesAreApart(t *testing.T) {
	t.Parallel()
	ahead, clock := new(hand), new(hand)
	ahead.at.Store(time.Hour.Microseconds())
	system.NewIDs(ahead).UUID()
	if got := id.New[userKind](system.NewIDs(clock)).Time(); got.UnixMilli() != 0 {
		t.Errorf("minted at %v, want the epoch", got)
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
