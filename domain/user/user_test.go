package user_test

import (
	"reflect"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
)

func now() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func ada(t *testing.T) *user.User {
	t.Helper()
	address, err := email.Parse("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	u := user.New("usr_01jd7x9k2mf3q8v5t0abcdefgh", address, "Ada", now())
	u.Stored()
	return u
}

func TestUpdateTellsWhatChanged(t *testing.T) {
	t.Parallel()
	u := ada(t)
	name, same, locale := "Ada L.", "", "en"
	u.Update(user.Profile{DisplayName: &name, Avatar: &same, Locale: &locale}, now().Add(time.Minute))
	events := u.Stored()
	if len(events) != 1 {
		t.Fatalf("events = %v, want one", events)
	}
	want := user.Updated{UserID: u.ID(), Changed: []string{"display_name", "locale"}}
	if !reflect.DeepEqual(events[0], want) {
		t.Errorf("event = %+v, want %+v", events[0], want)
	}
	u.Update(user.Profile{DisplayName: &name}, now().Add(time.Hour))
	if u.Changed() || !u.Snapshot().UpdatedAt.Equal(now().Add(time.Minute)) {
		t.Error("an update to the same values is a change")
	}
}

// The cases are those of RFC 7396 appendix A that have objects on both sides.
func TestMergeMetadata(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	tests := []struct{ have, patch, want object }{
		{object{"a": "b"}, object{"a": "c"}, object{"a": "c"}},
		{object{"a": "b"}, object{"b": "c"}, object{"a": "b", "b": "c"}},
		{object{"a": "b"}, object{"a": nil}, object{}},
		{object{"a": "b", "b": "c"}, object{"a": nil}, object{"b": "c"}},
		{object{"a": []any{"b"}}, object{"a": "c"}, object{"a": "c"}},
		{object{"a": "c"}, object{"a": []any{"b"}}, object{"a": []any{"b"}}},
		{object{"a": object{"b": "c"}}, object{"a": object{"b": "d", "c": nil}}, object{"a": object{"b": "d"}}},
		{object{"a": "foo"}, object{"a": object{"bb": object{"ccc": nil}}}, object{"a": object{"bb": object{}}}},
		{nil, object{"a": object{"b": nil}}, object{"a": object{}}},
	}
	for _, test := range tests {
		u := ada(t)
		if err := u.MergeMetadata(test.have, now()); err != nil {
			t.Fatal(err)
		}
		before := u.Snapshot().Metadata
		if err := u.MergeMetadata(test.patch, now()); err != nil {
			t.Fatal(err)
		}
		if got := u.Snapshot().Metadata; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v merged with %v = %v, want %v", test.have, test.patch, got, test.want)
		}
		if !reflect.DeepEqual(before, test.have) && len(test.have) > 0 {
			t.Errorf("merging changed the earlier value to %v", before)
		}
	}
}

func TestDisable(t *testing.T) {
	t.Parallel()
	u := ada(t)
	u.Disable("left", now().Add(time.Hour), now())
	for at, want := range map[time.Duration]bool{0: false, time.Hour - 1: false, time.Hour: true} {
		if got := u.Snapshot().Usable(now().Add(at)); got != want {
			t.Errorf("Usable() after %v = %v, want %v", at, got, want)
		}
	}
	u.Disable("left", time.Time{}, now())
	if u.Snapshot().Usable(now().AddDate(100, 0, 0)) {
		t.Error("an account disabled for good became usable")
	}
	u.Stored()
	u.Enable(now())
	u.Enable(now())
	if events := u.Stored(); len(events) != 1 || !u.Snapshot().Usable(now()) {
		t.Errorf("Enable() twice told %v, want one event", events)
	}
}

func TestSetSuperadminOnce(t *testing.T) {
	t.Parallel()
	u := ada(t)
	u.SetSuperadmin(false, now())
	if u.Changed() {
		t.Error("taking what was not given is a change")
	}
	u.SetSuperadmin(true, now())
	if !u.Snapshot().Superadmin || len(u.Stored()) != 1 {
		t.Error("SetSuperadmin(true) did not make one change")
	}
}
