package id_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/id"
)

func TestTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[id.ID[kind]]time.Time{
		// The example of RFC 9562, appendix A.6.
		"usr_01fwhe4ydgfk1shh6w1g60eecf": time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC),
		"usr_00000000000000000000000000": time.UnixMilli(0).UTC(),
		"usr_7zzzzzzzzz0000000000000000": time.UnixMilli(1<<48 - 1).UTC(),
	} {
		if got := text.Time(); got != want {
			t.Errorf("%s was minted at %v, want %v", text, got, want)
		}
		for _, within := range []time.Duration{0, time.Microsecond, time.Millisecond - time.Nanosecond} {
			if got := id.Earliest[kind](want.Add(within)); got > text || got.Time() != want {
				t.Errorf("Earliest(%v) = %s of %v, want none after %s", want.Add(within), got, got.Time(), text)
			}
		}
	}
	if got := id.Earliest[kind](time.Date(2022, 2, 22, 19, 22, 22, 1e6, time.UTC)); got != "usr_01fwhe4ydh0000000000000000" {
		t.Errorf("a millisecond after the example begins at %s", got)
	}
}

func TestTimesWithoutIdentifiers(t *testing.T) {
	t.Parallel()
	const first, last = "usr_00000000000000000000000000", "usr_7zzzzzzzzz0000000000000000"
	for _, c := range []struct {
		moment time.Time
		want   id.ID[kind]
	}{
		{time.Time{}, first}, {time.Unix(-1, 0), first}, {time.UnixMilli(1 << 48), last}, {time.UnixMilli(1 << 50), last},
	} {
		if got := id.Earliest[kind](c.moment); got != c.want {
			t.Errorf("Earliest(%v) = %s, want %s", c.moment, got, c.want)
		}
	}
	for _, text := range []id.ID[kind]{"", "usr_", "usr_short", "ses_01jd7x9k2mf3q8v5t0abcdefgh", "usr_01jd7x9k2mf3q8v5t0abcdefgu"} {
		if got := text.Time(); !got.IsZero() {
			t.Errorf("%q was minted at %v, want the zero time", text, got)
		}
	}
}

func TestUUIDTime(t *testing.T) {
	t.Parallel()
	// The example of RFC 9562, appendix A.6.
	got, known := id.UUIDTime("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	if want := time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC); !known || got != want {
		t.Errorf("minted at %v, %v, want %v", got, known, want)
	}
	for _, text := range []string{
		"", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2.79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0.7cc3-98c4-dc0c0c07398f",
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22g2-79b0-7cc3-98c4-dc0c0c07398f", "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
	} {
		if got, known := id.UUIDTime(text); known {
			t.Errorf("%q was minted at %v, want that it is no UUIDv7", text, got)
		}
	}
}
