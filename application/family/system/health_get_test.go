package system_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/ports/outbound"
)

// sick is a store with something wrong, which a sound one cannot be made to have.
type sick struct {
	outbound.Upkeep

	ping, migrated error
	have, want     int64
}

func (s sick) Ping(context.Context) error { return s.ping }

func (s sick) Migrated(context.Context) (have, want int64, err error) {
	return s.have, s.want, s.migrated
}

// keyless is an instance without signing keys.
type keyless struct{}

func (keyless) Load(context.Context) (outbound.InstanceState, error) {
	return outbound.InstanceState{Revision: 1}, nil
}

// ticking moves on by 7 ms at each look.
type ticking struct{ at *time.Time }

func (c ticking) Now() time.Time {
	*c.at = c.at.Add(7 * time.Millisecond)
	return *c.at
}

// health asks an instance on a sick store.
func health(t *testing.T, store sick) map[string]system.Check {
	t.Helper()
	current := &instance.Current{Store: keyless{}}
	if _, err := current.At(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	s := &system.Service{
		Upkeep: store, Instance: current, Clock: ticking{new(time.Time)},
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, d := range s.Commands() {
		if d.Name != "SYSTEM.HEALTH_GET" {
			continue
		}
		result, err := d.Handle(context.Background(), command.Call{}, command.None{})
		if err != nil {
			t.Fatal(err)
		}
		answer := result.(system.HealthGetResult)
		if answer.Status != "failing" {
			t.Errorf("status %s", answer.Status)
		}
		checks := map[string]system.Check{}
		for _, check := range answer.Checks {
			checks[check.Name] = check
		}
		return checks
	}
	t.Fatal("no such command")
	return nil
}

func TestHealthTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	secretive := errors.New("dial postgres://gatehouse:hunter2@db")
	for name, c := range map[string]struct {
		store sick
		want  map[string]string
	}{
		"store": {sick{ping: secretive}, map[string]string{"store": "the store does not answer"}},
		"schema unknown": {
			sick{migrated: secretive}, map[string]string{"migrations": "the version of the schema cannot be read"},
		},
		"schema old": {
			sick{have: 3, want: 4}, map[string]string{"migrations": "the schema is at version 3, this program wants 4"},
		},
		"keys": {sick{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks := health(t, c.store)
			for of, check := range checks {
				detail, wrong := c.want[of]
				if of == "signing_keys" {
					detail, wrong = "there is no active signing key", true
				}
				if check.OK == wrong || (wrong && check.Detail != detail) || check.LatencyMS != 7 {
					t.Errorf("%+v", check)
				}
			}
		})
	}
}
