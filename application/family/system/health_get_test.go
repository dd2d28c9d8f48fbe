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

// backlog is a queue of mail.
type backlog struct {
	outbound.MailQueue

	ready  int
	oldest time.Time
	broken error
}

func (b backlog) Backlog(context.Context, time.Time) (int, time.Time, error) {
	return b.ready, b.oldest, b.broken
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
func health(t *testing.T, store sick, mails backlog) map[string]system.Check {
	t.Helper()
	current := &instance.Current{Store: keyless{}}
	if _, err := current.At(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	s := &system.Service{
		Upkeep: store, Mails: mails, Instance: current, Clock: ticking{new(time.Time)},
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
	var start time.Time
	for name, c := range map[string]struct {
		store sick
		mails backlog
		want  map[string]string
	}{
		"store": {sick{ping: secretive}, backlog{}, map[string]string{"store": "the store does not answer"}},
		"schema unknown": {
			sick{migrated: secretive}, backlog{}, map[string]string{"migrations": "the version of the schema cannot be read"},
		},
		"schema old": {
			sick{have: 3, want: 4}, backlog{}, map[string]string{"migrations": "the schema is at version 3, this program wants 4"},
		},
		"keys":            {sick{}, backlog{}, nil},
		"mail that waits": {sick{}, backlog{ready: 2, oldest: start.Add(-4 * time.Minute)}, nil},
		"mail that nobody sends": {
			sick{}, backlog{ready: 2, oldest: start.Add(-6 * time.Minute)}, map[string]string{"queues": "mail: 2 due, the oldest for 360 s"},
		},
		"mail unknown": {sick{}, backlog{broken: secretive}, map[string]string{"queues": "the queue of mail cannot be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks := health(t, c.store, c.mails)
			for of, check := range checks {
				detail, wrong := c.want[of]
				if of == "signing_keys" {
					detail, wrong = "there is no active signing key", true
				}
				took := 7
				if of == "queues" {
					took = 14 // it looks at the clock itself
				}
				if check.OK == wrong || (wrong && check.Detail != detail) || check.LatencyMS != took {
					t.Errorf("%+v", check)
				}
			}
		})
	}
}
