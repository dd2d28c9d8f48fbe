package license_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// Every verb in every state; a license that was revoked stays as it is, for good.
func TestTransitions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	later, past := now.Add(time.Hour), now.Add(-time.Hour)
	type result struct {
		err   error
		after license.Status
		told  []event.Kind
	}
	kept := func(s license.Status) result { return result{nil, s, nil} }
	revoked := result{license.ErrRevoked, license.Revoked, nil}
	for _, verb := range []struct {
		name string
		do   func(*license.License) error
		want map[license.Status]result
	}{
		{"Suspend", func(l *license.License) error { return l.Suspend("why", now) }, map[license.Status]result{
			license.Active: {nil, license.Suspended, []event.Kind{license.KindSuspended}}, license.Expired: {nil, license.Suspended, []event.Kind{license.KindSuspended}},
			license.Suspended: {license.ErrSuspended, license.Suspended, nil}, license.Revoked: revoked,
		}},
		{"Reinstate", func(l *license.License) error { return l.Reinstate(now) }, map[license.Status]result{
			license.Active: {license.ErrActive, license.Active, nil}, license.Expired: {license.ErrActive, license.Expired, nil},
			license.Suspended: {nil, license.Active, []event.Kind{license.KindReinstated}}, license.Revoked: revoked,
		}},
		{"Revoke", func(l *license.License) error { l.Revoke("why", now); return nil }, map[license.Status]result{
			license.Active: {nil, license.Revoked, []event.Kind{license.KindRevoked}}, license.Expired: {nil, license.Revoked, []event.Kind{license.KindRevoked}},
			license.Suspended: {nil, license.Revoked, []event.Kind{license.KindRevoked}}, license.Revoked: kept(license.Revoked),
		}},
		{"Rotate", func(l *license.License) error { return l.Rotate(time.Hour, now) }, map[license.Status]result{
			license.Active: {nil, license.Active, []event.Kind{license.KindKeyRotated}}, license.Expired: {nil, license.Expired, []event.Kind{license.KindKeyRotated}},
			license.Suspended: {nil, license.Suspended, []event.Kind{license.KindKeyRotated}}, license.Revoked: revoked,
		}},
		{"Update", func(l *license.License) error {
			return l.Update(license.Change{Owner: &license.Owner{UserID: "usr_1"}}, now)
		}, map[license.Status]result{
			license.Active: {nil, license.Active, []event.Kind{license.KindUpdated}}, license.Expired: {nil, license.Expired, []event.Kind{license.KindUpdated}},
			license.Suspended: {nil, license.Suspended, []event.Kind{license.KindUpdated}}, license.Revoked: revoked,
		}},
		{"Update alike", func(l *license.License) error { return l.Update(license.Change{}, now) }, map[license.Status]result{
			license.Active: kept(license.Active), license.Expired: kept(license.Expired), license.Suspended: kept(license.Suspended), license.Revoked: revoked,
		}},
	} {
		for _, from := range []license.Status{license.Active, license.Suspended, license.Expired, license.Revoked} {
			s := license.Snapshot{ID: "lic_1", Status: from, ExpiresAt: later}
			if from == license.Expired { // it is active as it is stored, and its end has passed
				s.Status, s.ExpiresAt = license.Active, past
			}
			l, want := license.Restore(s, 1), verb.want[from]
			if want.after == "" {
				t.Errorf("%s of one that is %s: the table says nothing", verb.name, from)
			}
			err := verb.do(l)
			if got := l.Snapshot().Current(now); !errors.Is(err, want.err) || got != want.after {
				t.Errorf("%s of one that is %s: got %v, %s, want %v, %s", verb.name, from, err, got, want.err, want.after)
			}
			if want.told == nil && !reflect.DeepEqual(l.Snapshot(), s) {
				t.Errorf("%s of one that is %s changed it: got %+v, want %+v", verb.name, from, l.Snapshot(), s)
			}
			var told []event.Kind
			for _, data := range l.Stored() {
				told = append(told, data.Kind())
			}
			if !slices.Equal(told, want.told) {
				t.Errorf("%s of one that is %s: got events %v, want %v", verb.name, from, told, want.told)
			}
		}
	}
}
