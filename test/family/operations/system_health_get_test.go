package operations_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
)

// sick is a store with something wrong, which a sound one cannot be made to have.
type sick struct {
	ops.Upkeep

	ping, migrated error
	have, want     int64
	clock, newest  time.Time
	clockless      error
}

func (s sick) Ping(context.Context) error { return s.ping }

func (s sick) Migrated(context.Context) (have, want int64, err error) {
	return s.have, s.want, s.migrated
}

func (s sick) Clocks(context.Context) (store, newest time.Time, err error) {
	return s.clock, s.newest, s.clockless
}

// server is a mail server.
type server struct{ closed error }

func (s server) Reach(context.Context) error { return s.closed }

// backlog is a queue of mail.
type backlog struct {
	mailing.Queue

	ready  int
	oldest time.Time
	broken error
}

func (b backlog) Backlog(context.Context, time.Time) (int, time.Time, error) {
	return b.ready, b.oldest, b.broken
}

// keyless is an instance without signing keys.
type keyless struct{}

func (keyless) Load(context.Context) (ops.InstanceState, error) {
	return ops.InstanceState{Revision: 1}, nil
}

// ticking moves on by 7 ms at each look.
type ticking struct{ at *time.Time }

func (c ticking) Now() time.Time {
	*c.at = c.at.Add(7 * time.Millisecond)
	return *c.at
}

// health asks an instance on a sick store.
func health(t *testing.T, store sick, mails backlog, mailing server) map[string]system.Check {
	t.Helper()
	current := &instance.Current{Store: keyless{}}
	if _, err := current.At(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	s := &system.Service{
		Upkeep: store, Mails: mails, Server: mailing, Instance: current, Clock: ticking{new(time.Time)},
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
		store  sick
		mails  backlog
		want   map[string]string
		server server
	}{
		"store":           {store: sick{ping: secretive}, want: map[string]string{"store": "the database does not respond"}},
		"schema unknown":  {store: sick{migrated: secretive}, want: map[string]string{"migrations": "the schema version cannot be read"}},
		"schema old":      {store: sick{have: 3, want: 4}, want: map[string]string{"migrations": "the schema is at version 3; this program requires 4"}},
		"keys":            {},
		"mail that waits": {mails: backlog{ready: 2, oldest: start.Add(-4 * time.Minute)}},
		"mail that nobody sends": {
			mails: backlog{ready: 2, oldest: start.Add(-6 * time.Minute)}, want: map[string]string{"queues": "mail: 2 due, the oldest for 360 s"},
		},
		"mail unknown": {mails: backlog{broken: secretive}, want: map[string]string{"queues": "the mail queue cannot be read"}},
		"mail server closed": {
			server: server{secretive}, want: map[string]string{"mail": "the mail server does not respond, or rejects the login"},
		},
		"no mail server": {server: server{mail.ErrNoServer}},
		"clock unknown":  {store: sick{clockless: secretive}, want: map[string]string{"clock": "the database's clock cannot be read"}},
		// When the clock is looked at, it is between 105 and 112 ms after the start.
		"clock a little ahead": {store: sick{clock: start.Add(2112 * time.Millisecond), newest: start.Add(2112 * time.Millisecond)}},
		"clock ahead": {
			store: sick{clock: start.Add(2113 * time.Millisecond)}, want: map[string]string{"clock": "the database's clock is 2001 ms ahead of this process's"},
		},
		"clock a little behind": {store: sick{clock: start.Add(-1895 * time.Millisecond)}},
		"clock behind": {
			store: sick{clock: start.Add(-1896 * time.Millisecond)}, want: map[string]string{"clock": "the database's clock is 2001 ms behind this process's"},
		},
		"event of a clock ahead": {
			store: sick{newest: start.Add(2113 * time.Millisecond)},
			want:  map[string]string{"clock": "the database has no clock of its own; the newest event is 2001 ms in the future"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks := health(t, c.store, c.mails, c.server)
			for of, check := range checks {
				detail, wrong := c.want[of]
				if of == "signing_keys" {
					detail, wrong = "there is no active signing key", true
				}
				took := 7 * (1 + map[string]int{"queues": 1, "clock": 2}[of]) // these look at the clock themselves
				if check.OK == wrong || (wrong && check.Detail != detail) || check.LatencyMS != took {
					t.Errorf("%+v", check)
				}
			}
		})
	}
}
