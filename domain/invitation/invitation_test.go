package invitation_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

const (
	day    = 24 * time.Hour
	person = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func offer() invitation.Offer {
	return invitation.Offer{Role: "editor", By: invitation.Sender{User: person}, Days: 7}
}

// made returns a new invitation whose events are stored.
func made(t *testing.T) *invitation.Invitation {
	t.Helper()
	i := invitation.New("inv_01jd7x9k2mf3q8v5t0abcdefgh", "org_01jd7x9k2mf3q8v5t0abcdefgh", address(t, "ada@example.com"), offer(), noon())
	if got, want := kinds(t, i), []event.Kind{invitation.KindCreated}; !slices.Equal(got, want) {
		t.Fatalf("events of a new invitation: got %v, want %v", got, want)
	}
	return i
}

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, i *invitation.Invitation) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range i.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(invitation.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// Every verb in every status.
func TestTransitions(t *testing.T) {
	t.Parallel()
	accept := func(i *invitation.Invitation, now time.Time) error { return i.Accept(1, person, now) }
	revoke := func(i *invitation.Invitation, now time.Time) error { return i.Revoke(invitation.ByHand, now) }
	renew := func(i *invitation.Invitation, now time.Time) error {
		return i.Renew(address(t, "ada@example.com"), offer(), now)
	}
	type result struct {
		status invitation.Status
		event  event.Kind
		err    error
	}
	statuses := []invitation.Status{invitation.Pending, invitation.Accepted, invitation.Revoked, invitation.Expired}
	for _, verb := range []struct {
		name string
		do   func(*invitation.Invitation, time.Time) error
		want map[invitation.Status]result
	}{
		{"Accept", accept, map[invitation.Status]result{
			invitation.Pending:  {invitation.Accepted, invitation.KindAccepted, nil},
			invitation.Accepted: {invitation.Accepted, "", invitation.ErrGone},
			invitation.Revoked:  {invitation.Revoked, "", invitation.ErrGone},
			invitation.Expired:  {invitation.Expired, "", invitation.ErrGone},
		}},
		{"Revoke", revoke, map[invitation.Status]result{
			invitation.Pending:  {invitation.Revoked, invitation.KindRevoked, nil},
			invitation.Accepted: {invitation.Accepted, "", invitation.ErrEnded},
			invitation.Revoked:  {invitation.Revoked, "", invitation.ErrEnded},
			invitation.Expired:  {invitation.Expired, "", invitation.ErrEnded},
		}},
		{"Renew", renew, map[invitation.Status]result{
			invitation.Pending:  {invitation.Pending, invitation.KindResent, nil},
			invitation.Accepted: {invitation.Accepted, "", invitation.ErrEnded},
			invitation.Revoked:  {invitation.Revoked, "", invitation.ErrEnded},
			invitation.Expired:  {invitation.Pending, invitation.KindResent, nil},
		}},
	} {
		for _, from := range statuses {
			i, now := made(t), noon().Add(time.Hour)
			switch from {
			case invitation.Accepted:
				_ = accept(i, noon())
			case invitation.Revoked:
				_ = revoke(i, noon())
			case invitation.Expired:
				now = noon().Add(7 * day)
			case invitation.Pending:
			}
			i.Stored()
			before := i.Snapshot()
			if before.Status(now) != from {
				t.Fatalf("the invitation is %s, want %s", before.Status(now), from)
			}
			want, said := verb.want[from]
			if !said {
				t.Errorf("%s of one that is %s: the table says nothing", verb.name, from)
			}
			err := verb.do(i, now)
			if got := i.Snapshot().Status(now); !errors.Is(err, want.err) || got != want.status {
				t.Errorf("%s of one that is %s: got %s, %v, want %s, %v", verb.name, from, got, err, want.status, want.err)
			}
			if want.err != nil && i.Snapshot() != before {
				t.Errorf("%s of one that is %s: got %+v after a refusal, want %+v", verb.name, from, i.Snapshot(), before)
			}
			var events []event.Kind
			if want.event != "" {
				events = []event.Kind{want.event}
			}
			if got := kinds(t, i); !slices.Equal(got, events) {
				t.Errorf("%s of one that is %s: got events %v, want %v", verb.name, from, got, events)
			}
		}
	}
}

// Only the token of the latest mail is good, and only while the invitation is pending.
func TestHolds(t *testing.T) {
	t.Parallel()
	i := made(t)
	other := address(t, "grace@example.com")
	if err := i.Renew(other, invitation.Offer{Role: "viewer", Message: "m", Days: 1}, noon().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s := i.Snapshot()
	if s.Email != other || s.Role != "viewer" || s.Message != "m" || s.By != (invitation.Sender{}) || s.Days() != 1 || !s.CreatedAt.Equal(noon()) {
		t.Errorf("after Renew(): got %+v, want the new terms", s)
	}
	end := noon().Add(time.Hour + day)
	for _, c := range []struct {
		round int
		at    time.Time
		want  error
	}{
		{0, noon(), invitation.ErrGone},
		{1, noon(), invitation.ErrGone},
		{2, noon(), nil},
		{3, noon(), invitation.ErrGone},
		{2, end.Add(-1), nil},
		{2, end, invitation.ErrGone},
	} {
		if err := s.Holds(c.round, c.at); !errors.Is(err, c.want) {
			t.Errorf("Holds(%d) at %v = %v, want %v", c.round, c.at, err, c.want)
		}
		if err := invitation.Restore(s, 1).Accept(c.round, person, c.at); !errors.Is(err, c.want) {
			t.Errorf("Accept(%d) at %v = %v, want %v", c.round, c.at, err, c.want)
		}
	}
}

// An invitation is kept for 90 days from its end, however it ended.
func TestPurgeAt(t *testing.T) {
	t.Parallel()
	at := noon().Add(time.Hour)
	for name, c := range map[string]struct {
		end  func(*invitation.Invitation) error
		want time.Time
	}{
		"accepted": {func(i *invitation.Invitation) error { return i.Accept(1, person, at) }, at.Add(invitation.Kept)},
		"revoked":  {func(i *invitation.Invitation) error { return i.Revoke(invitation.ByDemotion, at) }, at.Add(invitation.Kept)},
		"expired":  {func(*invitation.Invitation) error { return nil }, noon().Add(7*day + invitation.Kept)},
	} {
		i := made(t)
		if err := c.end(i); err != nil {
			t.Errorf("%s: %v, want no error", name, err)
		}
		if got := i.Snapshot().PurgeAt(); !got.Equal(c.want) {
			t.Errorf("%s: PurgeAt() = %v, want %v", name, got, c.want)
		}
	}
}

func TestEventsNameTheParties(t *testing.T) {
	t.Parallel()
	i := made(t)
	if err := i.Accept(1, person, noon()); err != nil {
		t.Fatal(err)
	}
	s := i.Snapshot()
	want := invitation.WasAccepted{InvitationID: s.ID, OrgID: s.OrgID, UserID: person, Role: "editor"}
	if got := i.Stored(); len(got) != 1 || got[0] != event.Data(want) {
		t.Errorf("events of an acceptance: got %+v, want %+v", got, want)
	}
	if s.AcceptedBy != person {
		t.Errorf("AcceptedBy = %q, want %q", s.AcceptedBy, person)
	}
}
