package machines_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/jwtkeys"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/test/harness"
)

func TestRotate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	before := root.Do("JWT_KEY.LIST", nil)
	r := root.Do("JWT_KEY.ROTATE", nil).OK()
	for name, want := range map[string]string{
		"kid": in(t, before, "next"), "previous_kid": in(t, before, "active"), "algorithm": "ES256",
		"overlap_until": h.Clock.Now().Add(24 * time.Hour).Format(time.RFC3339Nano),
	} {
		if got := r.String(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	after := root.Do("JWT_KEY.LIST", nil)
	if got := in(t, after, "active"); got != r.String("kid") {
		t.Errorf("the active key is %s, want %s", got, r.String("kid"))
	}
	if got := in(t, after, "next"); states(before)[got] != "" {
		t.Errorf("the key in waiting is %s, want a new one", got)
	}
	events := h.Events(signingkey.KindRotated)
	if len(events) != 1 || !strings.Contains(string(events[0].Data), r.String("kid")) {
		t.Errorf("events %+v, want one of %s", events, r.String("kid"))
	}
}

func TestRotateToAnotherAlgorithm(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	r := root.Do("JWT_KEY.ROTATE", harness.P{"algorithm": "RS256", "overlap_hours": 720})
	if r.String("algorithm") != "RS256" {
		t.Errorf("algorithm = %s, want RS256", r.String("algorithm"))
	}
	root.Do("AUTH.WHOAMI", nil).OK()
	fresh := h.Superadmin()
	fresh.Do("AUTH.WHOAMI", nil).OK()
	if got := in(t, fresh.Do("JWT_KEY.LIST", nil), "active"); got != r.String("kid") {
		t.Errorf("the active key is %s, want %s", got, r.String("kid"))
	}
	if back := fresh.Do("JWT_KEY.ROTATE", nil); back.String("algorithm") != "ES256" || back.String("previous_kid") != r.String("kid") {
		t.Errorf("rotated back with %v", back.Data)
	}
	fresh.Do("AUTH.WHOAMI", nil).OK()
}

func TestTokensHoldForTheOverlap(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("SETTINGS.SET", harness.P{"values": harness.P{"access_token_seconds": 86400}}).OK()
	alice := h.SignUp("alice@example.com")
	root.Do("JWT_KEY.ROTATE", harness.P{"overlap_hours": 1}).OK()
	alice.Do("AUTH.WHOAMI", nil).OK()
	h.Clock.Advance(time.Hour - time.Microsecond)
	alice.Do("AUTH.WHOAMI", nil).OK()
	h.Clock.Advance(time.Microsecond)
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	renewed(h, alice).Do("AUTH.WHOAMI", nil).OK()
}

func TestRotateWithoutOverlap(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	r := root.Do("JWT_KEY.ROTATE", harness.P{"overlap_hours": 0})
	if want := h.Clock.Now().Format(time.RFC3339Nano); r.String("overlap_until") != want {
		t.Errorf("overlap_until = %s, want %s", r.String("overlap_until"), want)
	}
	root.Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	root = renewed(h, root)
	if got := states(root.Do("JWT_KEY.LIST", nil))[r.String("previous_kid")]; got != "retired" {
		t.Errorf("the previous key is %s, want retired", got)
	}
}

func TestRotationHoldsOnOtherReplicas(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	one, two := harness.On(t, database), harness.On(t, database)
	root := one.Superadmin()
	two.With(root.AccessToken).Do("AUTH.WHOAMI", nil).OK()
	root.Do("JWT_KEY.ROTATE", harness.P{"overlap_hours": 0}).OK()
	two.With(root.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	two.With(renewed(one, root).AccessToken).Do("AUTH.WHOAMI", nil).OK()
}

var errFirst = errors.New("the first run is taken back")

// twice runs every change two times, as a unit does that lost a race.
type twice struct{ outbound.Unit[jwtkeys.Repos] }

func (u twice) Do(ctx context.Context, change func(jwtkeys.Repos) error) error {
	err := u.Unit.Do(ctx, func(tx jwtkeys.Repos) error {
		if err := change(tx); err != nil {
			return err
		}
		return errFirst
	})
	if !errors.Is(err, errFirst) {
		return err
	}
	return u.Unit.Do(ctx, change)
}

// counting counts the keys that are made.
type counting struct {
	crypt.JOSE
	made int
}

func (c *counting) Generate(algorithm string) ([]byte, error) {
	c.made++
	return c.JOSE.Generate(algorithm)
}

func TestRotateMakesOneKeyHoweverOftenItRuns(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	made := &counting{JOSE: jose.JOSE{}}
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) jwtkeys.Repos { return jwtkeys.Repos{Keys: ops.KeyRing(tx)} })
	family := &jwtkeys.Service{
		Unit: twice{unit}, Instance: h.Engine.Instance, Clock: h.Clock,
		Keys: &keys.Rack{Maker: keys.Maker{JOSE: made, IDs: system.IDs{}, Clock: h.Clock}, Apps: machines.AppDirectory(h.Store)},
	}
	before := len(h.Superadmin().Do("JWT_KEY.LIST", nil).List("items"))
	for _, d := range family.Commands() {
		if d.Name != "JWT_KEY.ROTATE" {
			continue
		}
		if _, err := d.Handle(t.Context(), command.Call{}, jwtkeys.RotateParams{}); err != nil {
			t.Fatalf("JWT_KEY.ROTATE = %v", err)
		}
	}
	if made.made != 1 {
		t.Errorf("%d keys were made, want 1", made.made)
	}
	if got := len(h.Superadmin().Do("JWT_KEY.LIST", nil).List("items")); got != before+1 {
		t.Errorf("%d keys after %d, want one more", got, before)
	}
}
