package passkey_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/passkey"
)

const (
	key    = passkey.ID("pky_01jd7x9k2mf3q8v5t0abcdefgh")
	person = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
)

func noon() time.Time { return time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC) }

func registered(r passkey.Record) *passkey.Passkey {
	return passkey.Register(passkey.Registration{ID: key, UserID: person, CredentialID: "Y3Jl", Name: "phone", Record: r}, noon())
}

// kinds are those of the events that are yet to be stored.
func kinds(p *passkey.Passkey) []event.Kind {
	all := []event.Kind{}
	for _, data := range p.Stored() {
		all = append(all, data.Kind())
	}
	return all
}

// A counter must go up; one that was never told says nothing.
func TestCounter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored, received, kept uint32
		cloned                 bool
	}{
		{0, 0, 0, false},
		{0, 7, 7, false},
		{7, 8, 8, false},
		{7, 7, 7, true},
		{7, 6, 7, true},
		{7, 1, 7, true},
		{7, 0, 7, true},
		{1<<32 - 2, 1<<32 - 1, 1<<32 - 1, false},
		{1<<32 - 1, 1, 1<<32 - 1, true},
	} {
		p := registered(passkey.Record{SignCount: c.stored})
		err := p.Used(passkey.Use{SignCount: c.received}, noon().Add(time.Hour))
		if errors.Is(err, passkey.ErrCloned) != c.cloned || (err != nil) != c.cloned {
			t.Errorf("%d after %d = %v, want cloned %v", c.received, c.stored, err, c.cloned)
		}
		s := p.Snapshot()
		if s.Record.SignCount != c.kept || s.LastUsedAt.IsZero() != c.cloned {
			t.Errorf("%d after %d keeps %d, used at %v", c.received, c.stored, s.Record.SignCount, s.LastUsedAt)
		}
	}
}

func TestUseIsNoted(t *testing.T) {
	t.Parallel()
	p := registered(passkey.Record{BackupEligible: true})
	p.Stored()
	if err := p.Used(passkey.Use{BackedUp: true, UserVerified: true}, noon().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := p.Used(passkey.Use{BackedUp: true}, noon().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	s := p.Snapshot()
	if !s.Record.BackedUp || !s.Record.UserVerified || !s.LastUsedAt.Equal(noon().Add(time.Minute)) || p.Changed() {
		t.Errorf("after a use: %+v, changed %v", s, p.Changed())
	}
}

func TestChangesRaiseEvents(t *testing.T) {
	t.Parallel()
	p := registered(passkey.Record{})
	if got := kinds(p); !slices.Equal(got, []event.Kind{passkey.KindRegistered}) {
		t.Errorf("registration raises %v", got)
	}
	if p.Rename("phone"); p.Changed() {
		t.Error("the same name raises an event")
	}
	p.Rename("tablet")
	p.Revoke(passkey.ByUser)
	if got := kinds(p); !slices.Equal(got, []event.Kind{passkey.KindUpdated, passkey.KindRevoked}) {
		t.Errorf("changes raise %v", got)
	}
	if p.Snapshot().Name != "tablet" || !p.OwnedBy(person) || p.OwnedBy("usr_01jd7x9k2mf3q8v5t0abcdefgj") {
		t.Errorf("name or owner are wrong: %+v", p.Snapshot())
	}
}

func TestAMR(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		copied, two bool
		want        []string
	}{
		{false, false, []string{"hwk", "user"}},
		{true, false, []string{"swk", "user"}},
		{false, true, []string{"hwk", "user", "mfa"}},
		{true, true, []string{"swk", "user", "mfa"}},
	} {
		if got := registered(passkey.Record{BackupEligible: c.copied}).AMR(c.two); !slices.Equal(got, c.want) {
			t.Errorf("AMR(%v) of backup eligible %v = %v", c.two, c.copied, got)
		}
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	made := registered(passkey.Record{PublicKey: []byte{1}, SignCount: 3}).Snapshot()
	p := passkey.Restore(made, 4)
	if p.Version() != 4 || p.Changed() || p.ID() != key || p.Snapshot().Record.SignCount != 3 {
		t.Errorf("Restore() = %+v at %d", p.Snapshot(), p.Version())
	}
}
