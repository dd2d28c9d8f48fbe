package app_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/keytext"
)

// secretID makes the identifier of a numbered secret.
func secretID(n int) app.SecretID { return app.SecretID(fmt.Sprintf("sec_%026d", n)) }

// text makes the text of a numbered secret; its checksum does not matter here.
func text(n int) string { return fmt.Sprintf("sk_live_%046d", n) }

func rotate(t *testing.T, a *app.App, n int, overlap time.Duration, now time.Time) time.Time {
	t.Helper()
	until, err := a.RotateSecret(app.NewSecret(secretID(n), text(n), now), overlap, now)
	if err != nil {
		t.Fatal(err)
	}
	return until
}

// wantLive fails the test unless exactly these of the first ten secrets are good.
func wantLive(t *testing.T, a *app.App, now time.Time, want ...int) {
	t.Helper()
	good := map[int]bool{}
	for _, n := range want {
		good[n] = true
	}
	for n := range 10 {
		which, ok := a.Snapshot().Verify(text(n), now)
		if ok != good[n] || (ok && which != secretID(n)) {
			t.Errorf("secret %d is good: %t (%s), want %t", n, ok, which, good[n])
		}
	}
	if got := len(a.Snapshot().LiveSecrets(now)); got != len(want) {
		t.Errorf("%d live secrets, want %d", got, len(want))
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	s := app.NewSecret(secretID(1), text(1), noon())
	if s.Digest != keytext.Digest(text(1)) || s.Prefix != "sk_live_0000" || !s.CreatedAt.Equal(noon()) || !s.ExpiresAt.IsZero() {
		t.Errorf("a new secret is %+v", s)
	}
}

func TestFirstSecret(t *testing.T) {
	t.Parallel()
	for kind, want := range map[app.Type]bool{app.Service: true, app.Web: true, app.SPA: false, app.Native: false} {
		first := app.NewSecret(secretID(1), text(1), noon())
		a, err := app.Register(app.Registration{ID: appID, OrgID: org, Slug: "billing", Type: kind, Secret: first}, noon())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(a.Snapshot().Secrets) == 1; got != want {
			t.Errorf("%s has a secret: %t, want %t", kind, got, want)
		}
		_, err = a.RotateSecret(app.NewSecret(secretID(2), text(2), noon()), time.Hour, noon())
		if !want {
			if !errors.Is(err, app.ErrPublic) {
				t.Errorf("a new secret for %s: %v, want ErrPublic", kind, err)
			}
			continue
		}
		wantLive(t, a, noon(), 1, 2)
		for _, wrong := range []string{"", text(1) + "0", text(1)[:53], keytext.Digest(text(1))} {
			if _, ok := a.Snapshot().Verify(wrong, noon()); ok {
				t.Errorf("%q passes for the secret", wrong)
			}
		}
	}
}

// A public client that holds a secret nevertheless cannot use it.
func TestAPublicClientHasNoGoodSecret(t *testing.T) {
	t.Parallel()
	s := app.Snapshot{Type: app.SPA, Secrets: []app.Secret{app.NewSecret(secretID(1), text(1), noon())}}
	if _, ok := s.Verify(text(1), noon()); ok {
		t.Error("the secret passes")
	}
}

func TestRotateAtOnce(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	rotate(t, a, 1, 0, noon())
	if until := rotate(t, a, 2, 0, noon()); !until.IsZero() {
		t.Errorf("overlap until %v, want none", until)
	}
	wantLive(t, a, noon(), 2)
	wantRaised(t, a, app.KindKeyRotated, app.KindKeyRotated)
}

func TestRotateWithAnOverlap(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	if until := rotate(t, a, 1, time.Hour, noon()); !until.IsZero() {
		t.Errorf("overlap of nothing until %v, want none", until)
	}
	if until := rotate(t, a, 2, time.Hour, noon()); !until.Equal(noon().Add(time.Hour)) {
		t.Errorf("overlap until %v, want in an hour", until)
	}
	wantLive(t, a, noon().Add(time.Hour-1), 1, 2)
	wantLive(t, a, noon().Add(time.Hour), 2)
	// A longer overlap does not lengthen one that runs.
	if until := rotate(t, a, 3, 10*time.Hour, noon().Add(time.Minute)); !until.Equal(noon().Add(time.Minute + 10*time.Hour)) {
		t.Errorf("overlap until %v, want in ten hours", until)
	}
	wantLive(t, a, noon().Add(time.Hour-1), 1, 2, 3)
	wantLive(t, a, noon().Add(time.Hour), 2, 3)
	// A shorter one does shorten it, and none ends all.
	if until := rotate(t, a, 4, time.Minute, noon().Add(2*time.Hour)); !until.Equal(noon().Add(2*time.Hour + time.Minute)) {
		t.Errorf("overlap until %v, want in a minute", until)
	}
	wantLive(t, a, noon().Add(2*time.Hour), 2, 3, 4)
	wantLive(t, a, noon().Add(2*time.Hour+time.Minute), 4)
	rotate(t, a, 5, 0, noon().Add(2*time.Hour))
	wantLive(t, a, noon().Add(2*time.Hour), 5)
}

func TestAHandfulOfSecrets(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	for n := range 8 {
		rotate(t, a, n, time.Hour, noon())
	}
	wantLive(t, a, noon(), 3, 4, 5, 6, 7)
	if live := a.Snapshot().LiveSecrets(noon()); live[0].ID != secretID(7) || live[4].ID != secretID(3) {
		t.Errorf("live secrets %+v, want the newest first", live)
	}
}

func TestRevokeSecret(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	rotate(t, a, 1, 0, noon())
	rotate(t, a, 2, time.Hour, noon())
	a.Stored()
	before := a.Snapshot()
	if err := a.RevokeSecret(secretID(1), noon()); err != nil {
		t.Fatal(err)
	}
	wantLive(t, a, noon(), 2)
	if len(before.Secrets) != 2 || before.Secrets[0].ID != secretID(1) {
		t.Errorf("a snapshot taken before has %+v", before.Secrets)
	}
	wantRaised(t, a, app.KindSecretRevoked)
	for _, gone := range []int{1, 9} {
		if err := a.RevokeSecret(secretID(gone), noon()); !errors.Is(err, app.ErrNoSecret) {
			t.Errorf("revoking secret %d: %v, want ErrNoSecret", gone, err)
		}
	}
	if err := a.RevokeSecret(secretID(2), noon()); err != nil {
		t.Fatal(err)
	}
	wantLive(t, a, noon())
	rotate(t, a, 3, 0, noon())
	rotate(t, a, 4, time.Minute, noon())
	if err := a.RevokeSecret(secretID(3), noon().Add(time.Minute)); !errors.Is(err, app.ErrNoSecret) {
		t.Errorf("revoking a secret whose overlap is over: %v, want ErrNoSecret", err)
	}
}
