package execution_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

// passes makes calls that must pass, then one that must not, and returns how long
// that one was told to wait.
func (l *lab) passes(n int, a ask) time.Duration {
	l.t.Helper()
	for i := range n {
		if failure := l.do(a).Failure; failure != nil {
			l.t.Fatalf("call %d failed with %v, want %d to pass", i+1, failure, n)
		}
	}
	return l.do(a).fails(fault.RateLimited).Failure.RetryAfter
}

// truthful fails the test unless the wait is just as long as it has to be.
func (l *lab) truthful(wait time.Duration, a ask) {
	l.t.Helper()
	if wait <= time.Second || wait > 24*time.Hour {
		l.t.Fatalf("told to wait %v", wait)
	}
	l.Clock.Advance(wait - time.Second)
	l.do(a).fails(fault.RateLimited)
	l.Clock.Advance(time.Second)
	l.do(a).ok()
}

// Without limits of its own an anonymous command admits 60 a minute per address,
// and one call too many is not counted.
func TestAnonymousLimit(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.OPEN", access.Public()), reads("LAB.SHUT", access.Public()))
	open := ask{command: "LAB.OPEN", ip: "2001:db8:1:2::1"}
	wait := l.passes(60, open)
	neighbor := ask{command: "LAB.OPEN", ip: "2001:db8:1:2:ffff::9"} // of the same /64
	l.do(neighbor).fails(fault.RateLimited)
	for range 100 {
		l.do(open).fails(fault.RateLimited)
	}
	l.do(ask{command: "LAB.OPEN", ip: "2001:db8:1:3::1"}).ok()
	l.do(ask{command: "LAB.SHUT", ip: "2001:db8:1:2::1"}).ok() // commands count apart
	l.truthful(wait, open)
}

func TestOwnLimitStandsForTheAnonymousOne(t *testing.T) {
	t.Parallel()
	many := reads("LAB.OPEN", access.Public())
	many.Limits = perMinute(limit.IP, 70)
	l := newLab(t, many)
	l.passes(70, ask{command: "LAB.OPEN"})
}

// A call that cannot run for its parameters alone does not count at the limits of its
// command where no credential is asked for.
func TestMistakesDoNotCountAnonymously(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.OPEN", access.Public()))
	for range 100 {
		l.do(ask{command: "LAB.OPEN", params: bad}).fails(fault.Validation)
	}
	l.passes(60, ask{command: "LAB.OPEN"})
}

// 600 a minute hold over all commands together, by session: a refreshed token, a
// refusal or a dry run evades nothing, and another session is not concerned. What
// fails for its parameters alone counts for nothing.
func TestOverallLimit(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(echo), reads("LAB.READ", access.User()), reads("LAB.TELL", access.Optional()), reads("LAB.ADMIN", access.Superadmin()))
	alice := l.SignUp("alice@example.com") // whose WHOAMI is the first
	other := l.Login("alice@example.com", harness.Password)
	kinds := []ask{
		{}, {command: "LAB.READ"}, {dryRun: true}, {command: "LAB.ADMIN"}, {command: "LAB.TELL"},
	}
	for range 100 {
		l.do(ask{who: alice, params: bad}).fails(fault.Validation)
	}
	for i := range 599 {
		a := kinds[i%len(kinds)]
		a.who, a.ip = alice, fmt.Sprintf("10.1.%d.%d", i/250, i%250)
		if f := l.do(a).Failure; f != nil && f.Code == fault.RateLimited {
			t.Fatalf("call %d is limited", i+1)
		}
	}
	l.do(ask{who: alice}).fails(fault.RateLimited)
	l.do(ask{who: alice, params: bad}).fails(fault.Validation)
	l.do(ask{command: "LAB.TELL", who: alice, ip: "10.2.0.1"}).fails(fault.RateLimited)
	pair := l.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": alice.RefreshToken})
	renewed := l.With(pair.String("access_token"))
	wait := l.do(ask{who: renewed}).fails(fault.RateLimited).Failure.RetryAfter
	if wait <= 0 || wait > time.Minute {
		t.Errorf("told to wait %v", wait)
	}
	l.do(ask{who: other}).ok()
	l.Clock.Advance(wait)
	l.do(ask{who: renewed}).ok()
}

// Limits by token and by user count the session and the person; who is in is not
// told apart by address.
func TestLimitsBySessionAndPerson(t *testing.T) {
	t.Parallel()
	byToken, byUser := writes(echo), writes(echo)
	byToken.Name, byToken.Limits = "LAB.TOKEN", perMinute(limit.Token, 3)
	byUser.Name, byUser.Limits = "LAB.USER", perMinute(limit.User, 3)
	l := newLab(t, byToken, byUser)
	alice := l.SignUp("alice@example.com")
	again, bob := l.Login("alice@example.com", harness.Password), l.SignUp("bob@example.com")
	wait := l.passes(3, ask{command: "LAB.TOKEN", who: alice})
	l.do(ask{command: "LAB.TOKEN", who: again}).ok()
	l.truthful(wait, ask{command: "LAB.TOKEN", who: alice})

	l.passes(3, ask{command: "LAB.USER", who: alice})
	l.do(ask{command: "LAB.USER", who: again}).fails(fault.RateLimited)
	l.do(ask{command: "LAB.USER", who: bob}).ok()
}

// An anonymous call counts by what its parameters name, as they mean it.
func TestLimitsByParameter(t *testing.T) {
	t.Parallel()
	named := reads("LAB.NAMED", access.Public())
	named.Limits = perMinute(limit.Email, 2)
	named.Subject = func(_ context.Context, p params) (command.Subject, error) {
		if p.Value == "forged" {
			return command.Subject{}, fault.New(fault.Auth, "forged")
		}
		return command.Subject{Counted: p.Value[:1]}, nil
	}
	l := newLab(t, named)
	call := func(value, ip string) *answer {
		return l.do(ask{command: "LAB.NAMED", params: `{"value":"` + value + `"}`, ip: ip})
	}
	call("alice", "10.0.0.1").ok()
	call("anna", "10.0.0.2").ok()
	call("adam", "10.0.0.3").fails(fault.RateLimited)
	call("bob", "10.0.0.3").ok()
	for range 100 {
		call("forged", "10.0.0.4").fails(fault.Auth) // at no limit of the command
	}
	call("carol", "10.0.0.4").ok()
}

// All limits of a call have to admit it, else none counts it.
func TestOneLimitSparesTheOthers(t *testing.T) {
	t.Parallel()
	both := writes(echo)
	both.Limits = []limit.Spec{limit.PerMinute(limit.Token, 2), limit.PerHour(limit.User, 3)}
	l := newLab(t, both)
	alice := l.SignUp("alice@example.com")
	l.passes(2, ask{who: alice})
	for range 10 {
		l.do(ask{who: alice}).fails(fault.RateLimited)
	}
	again := l.Login("alice@example.com", harness.Password)
	if wait := l.passes(1, ask{who: again}); wait != time.Hour {
		t.Errorf("told to wait %v, want an hour: the longest of both", wait)
	}
}

// Where several limits refuse a call, it is told to wait for the last of them.
func TestWaitsForEveryLimit(t *testing.T) {
	t.Parallel()
	both := writes(echo)
	both.Limits = []limit.Spec{limit.PerMinute(limit.Token, 2), limit.PerHour(limit.User, 2)}
	l := newLab(t, both)
	alice := l.SignUp("alice@example.com")
	if wait := l.passes(2, ask{who: alice}); wait != time.Hour {
		t.Errorf("told to wait %v, want an hour", wait)
	}
}

// During a spike of failing logins the limit by address is half, at least 1.
func TestSpikeHalvesTheLimit(t *testing.T) {
	t.Parallel()
	guarded, single, other := reads("LAB.GUARD", access.Public()), reads("LAB.SINGLE", access.Public()), reads("LAB.OPEN", access.Public())
	guarded.Limits, guarded.SpikeGuard = perMinute(limit.IP, 9), true
	single.Limits, single.SpikeGuard = perMinute(limit.IP, 1), true
	l := newLab(t, guarded, single, other)
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) signin.LoginFailures { return signinstore.LoginFailures(tx) })
	err := unit.Do(t.Context(), func(tx signin.LoginFailures) error {
		return tx.SetSpike(t.Context(), loginevent.Spike{StartedAt: l.Clock.Now(), Until: l.Clock.Now().Add(5 * time.Minute)})
	})
	if err != nil {
		t.Fatal(err)
	}
	l.passes(4, ask{command: "LAB.GUARD"})
	l.passes(1, ask{command: "LAB.SINGLE"})
	l.passes(60, ask{command: "LAB.OPEN"})
	l.Clock.Advance(5 * time.Minute)
	l.passes(9, ask{command: "LAB.GUARD"})
}

// What an administrator tunes on one replica holds on the other with the next
// call: for defaults, for what has none, and for all commands together.
func TestTunedLimits(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here := harness.On(t, dsn)
	l := over(t, harness.On(t, dsn), writes(echo), reads("LAB.OPEN", access.Public()))
	alice := l.SignUp("alice@example.com")
	tune := func(name string, by limit.Key, n int) {
		t.Helper()
		unit := sqlstore.NewUnit(here.Store, func(tx *sqlstore.Tx) ops.LimitRules { return opsstore.LimitRules(tx) })
		err := unit.Do(t.Context(), func(tx ops.LimitRules) error {
			return tx.Set(t.Context(), ops.TunedLimit{Command: name, By: by, Rule: limit.Rule{Limit: n, Window: time.Minute}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tune("LAB.OPEN", limit.IP, 2)
	l.passes(2, ask{command: "LAB.OPEN"})
	tune("LAB.WRITE", limit.User, 1)
	l.passes(1, ask{who: alice})
	tune("LAB.WRITE", limit.User, 5)
	tune(command.Overall, limit.Token, 4) // of which WHOAMI and a call counted
	l.passes(2, ask{who: alice})
	tune(command.Overall, limit.Token, 100)
	l.do(ask{who: alice}).ok()
}

// Replicas count together.
func TestReplicasCountTogether(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	limited := writes(echo)
	limited.Limits = perMinute(limit.Token, 4)
	one, two := over(t, harness.On(t, dsn), limited), over(t, harness.On(t, dsn), limited)
	alice := one.SignUp("alice@example.com")
	for range 2 {
		one.do(ask{who: alice}).ok()
		two.do(ask{who: alice}).ok()
	}
	one.do(ask{who: alice}).fails(fault.RateLimited)
	two.do(ask{who: alice}).fails(fault.RateLimited)
}
