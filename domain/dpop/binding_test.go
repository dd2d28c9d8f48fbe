package dpop_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
)

func start() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func wanted(thumbprint string) dpop.Registration {
	return dpop.Registration{
		ID: "dpk_01jd7x9k2mf3q8v5t0abcdefgh", Owner: dpop.Owner{User: "usr_01jd7x9k2mf3q8v5t0abcdefgh"},
		Org: "org_01jd7x9k2mf3q8v5t0abcdefgh", Thumbprint: thumbprint, Life: time.Hour,
	}
}

func registered(t *testing.T) *dpop.Binding {
	t.Helper()
	b, err := dpop.Register(wanted("jkt"), nil, start())
	if err != nil {
		t.Fatalf("Register() = %v", err)
	}
	return b
}

func live(n int) []dpop.Snapshot {
	held := make([]dpop.Snapshot, n)
	for i := range held {
		held[i].Thumbprint = fmt.Sprint("held", i)
	}
	return held
}

func TestRegister(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		thumbprint string
		live       []dpop.Snapshot
		want       error
	}{
		"the first":                       {"jkt", nil, nil},
		"the fiftieth":                    {"jkt", live(49), nil},
		"one more":                        {"jkt", live(50), dpop.ErrTooMany},
		"the same key again":              {"held3", live(5), dpop.ErrRegistered},
		"the same key where there is one": {"held3", live(50), dpop.ErrRegistered},
	} {
		if _, err := dpop.Register(wanted(test.thumbprint), test.live, start()); !errors.Is(err, test.want) {
			t.Errorf("%s: Register() = %v, want %v", name, err, test.want)
		}
	}
	b := registered(t)
	registration, ok := b.Stored()[0].(dpop.BindingRegistered)
	if !ok || registration.BindingID != b.ID() || registration.Thumbprint != "jkt" || !registration.ExpiresAt.Equal(start().Add(time.Hour)) {
		t.Errorf("it told %+v", registration)
	}
	if of := event.ConcernOf(registration); of.UserID != "usr_01jd7x9k2mf3q8v5t0abcdefgh" || of.OrgID != "org_01jd7x9k2mf3q8v5t0abcdefgh" {
		t.Errorf("it is filed under %+v", of)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	b := registered(t)
	for after, want := range map[time.Duration]dpop.Status{
		0: dpop.Active, time.Hour - time.Microsecond: dpop.Active, time.Hour: dpop.Expired,
	} {
		if got := b.Snapshot().Status(start().Add(after)); got != want {
			t.Errorf("after %v it is %s, want %s", after, got, want)
		}
	}
	b.Revoke("", start())
	for _, after := range []time.Duration{0, 2 * time.Hour} {
		if got := b.Snapshot(); got.Status(start().Add(after)) != dpop.Revoked || got.Live(start().Add(after)) {
			t.Errorf("after %v a revoked one is %s", after, got.Status(start().Add(after)))
		}
	}
}

func TestRevokeOnce(t *testing.T) {
	t.Parallel()
	b := registered(t)
	b.Stored()
	b.Revoke("org_01jd7x9k2mf3q8v5t0abcdefgh", start())
	b.Revoke("org_01jd7x9k2mf3q8v5t0abcdefgh", start().Add(time.Second))
	if events := b.Stored(); len(events) != 1 || events[0].Kind() != dpop.KindRevoked {
		t.Errorf("two revocations told %v, want one event", events)
	}
	if got := b.Snapshot().RevokedAt; !got.Equal(start()) {
		t.Errorf("revoked at %v, want the first time", got)
	}
	expired := registered(t)
	expired.Stored()
	expired.Revoke("", start().Add(time.Hour))
	if expired.Changed() {
		t.Error("what had expired was revoked")
	}
}

func TestOwnedBy(t *testing.T) {
	t.Parallel()
	b := registered(t)
	for owner, want := range map[dpop.Owner]bool{
		wanted("").Owner:                              true,
		{User: "usr_01jd7x9k2mf3q8v5t0abcdefgj"}:      false,
		{App: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"}: false,
		{}: false,
	} {
		if got := b.OwnedBy(owner); got != want {
			t.Errorf("OwnedBy(%+v) = %t, want %t", owner, got, want)
		}
	}
}
