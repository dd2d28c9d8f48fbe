package execution_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// tune sets a limit on one replica.
func tune(t *testing.T, on *harness.Service, name string, by limit.Key, most int) {
	t.Helper()
	unit := sqlstore.NewUnit(on.Store, func(tx *sqlstore.Tx) ops.LimitRules { return opsstore.LimitRules(tx) })
	err := unit.Do(t.Context(), func(tx ops.LimitRules) error {
		return tx.Set(t.Context(), ops.TunedLimit{Command: name, By: by, Rule: limit.Rule{Limit: most, Window: time.Minute}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// madeUp is an API key that nobody has.
func madeUp() string { return "Bearer " + string(keytext.New(keytext.APIKey, system.Random{})) }

// Calls that are malformed or present a wrong credential count together by their
// address, 600 a minute on all replicas, and then those alone are refused.
func TestFaultyCallsCountByAddress(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		commands := []spec{reads("LAB.OPEN", access.Public()), reads("LAB.TELL", access.Optional()), writes(echo)}
		one, two := over(t, here, commands...), over(t, there, commands...)
		alice := one.SignUp("alice@example.com")
		key := one.apiKey(alice, nil)
		foreign := alice.AccessToken[:strings.LastIndexByte(alice.AccessToken, '.')+1] + strings.Repeat("A", 86)
		faults := []struct {
			ask
			code fault.Code
		}{
			{ask{command: "LAB.NONE"}, fault.Unknown},
			{ask{command: "LAB.OPEN", params: bad}, fault.Validation},
			{ask{authorization: "Basic YTpi"}, fault.Auth},
			{ask{authorization: "Bearer not-a-token"}, fault.TokenInvalid},
			{ask{authorization: "Bearer " + foreign}, fault.TokenInvalid},
			{ask{authorization: "Bearer ak_live_short"}, fault.Auth},
			{ask{authorization: madeUp()}, fault.Auth},
			{ask{command: "LAB.TELL", authorization: madeUp()}, fault.Auth},
			{ask{refused: fault.New(fault.Validation, "malformed JSON")}, fault.Validation},
		}
		const most = 600
		for i := range most {
			l, f := []*lab{one, two}[i%2], faults[i%len(faults)]
			l.do(f.ask).fails(f.code)
		}
		for _, f := range faults {
			if wait := two.do(f.ask).fails(fault.RateLimited).Failure.RetryAfter; wait <= 0 || wait > 61*time.Second {
				t.Errorf("told to wait %v", wait)
			}
			f.ip = "192.0.2.2"
			one.do(f.ask).fails(f.code)
		}
		for _, good := range []ask{
			{who: alice},
			{who: one.SignUp("bob@example.com")},
			{authorization: key.bearer()},
			{command: "LAB.OPEN"},
			{command: "LAB.TELL"},
			{command: "LAB.TELL", authorization: key.bearer()},
		} {
			one.do(good).ok()
			two.do(good).ok()
		}
		two.do(ask{who: alice, params: bad}).fails(fault.Validation)
		one.do(ask{}).fails(fault.Auth) // presents nothing, so nothing wrong
		one.Clock.Advance(time.Hour)
		two.Clock.Advance(time.Hour)
		for range most + 1 {
			one.do(ask{who: alice}).fails(fault.TokenExpired)
		}
		one.do(faults[0].ask).fails(fault.Unknown)
	})
}

// What is tuned for all commands by address holds on the other replica with the next
// call.
func TestFaultyLimitIsTuned(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here := harness.On(t, dsn)
	l := over(t, harness.On(t, dsn), writes(echo))
	wrong := ask{authorization: "Bearer not-a-token"}
	tune(t, here, command.Overall, limit.IP, 2)
	l.do(wrong).fails(fault.TokenInvalid)
	l.do(wrong).fails(fault.TokenInvalid)
	l.do(wrong).fails(fault.RateLimited)
	tune(t, here, command.Overall, limit.IP, 3)
	l.do(wrong).fails(fault.TokenInvalid)
	l.do(wrong).fails(fault.RateLimited)
	tune(t, here, command.Overall, limit.Token, 1)
	alice := l.SignUp("alice@example.com")
	l.do(ask{who: alice}).fails(fault.RateLimited) // whose WHOAMI is the first
	l.do(wrong).fails(fault.RateLimited)
}

// Calls in a client's name that do not prove it count by client and address together,
// those that do by client: nobody keeps a client out by its name.
func TestNobodyIsKeptOutByName(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		proven := reads("LAB.PROVEN", access.Public())
		proven.Limits = []limit.Spec{limit.PerMinute(limit.IP, 9), limit.PerMinute(limit.Token, 4)}
		deferred := proven
		deferred.Name = "LAB.LATER"
		proven.Subject = func(_ context.Context, p params) (command.Subject, error) {
			return command.Subject{Counted: "worker", Client: "worker", Proven: func(*outbound.Client) bool { return p.Value == "right" }}, nil
		}
		errWrong := fault.New(fault.Auth, "wrong")
		proven.Handle = func(_ context.Context, _ command.Call, p params) (result, error) {
			if p.Value != "right" {
				return result{}, errWrong
			}
			return result{Value: p.Value}, nil
		}
		deferred.Subject = func(context.Context, params) (command.Subject, error) {
			return command.Subject{Counted: "worker", Deferred: true}, nil
		}
		deferred.Handle = func(ctx context.Context, call command.Call, p params) (result, error) {
			if err := call.Count(ctx, p.Value == "right"); err != nil {
				return result{}, err
			}
			return proven.Handle(ctx, call, p)
		}
		one, two := over(t, here, proven, deferred), over(t, there, proven, deferred)
		for _, name := range []string{proven.Name, deferred.Name} {
			call := func(l *lab, value, ip string) *answer {
				return l.do(ask{command: name, params: `{"value":"` + value + `"}`, ip: ip})
			}
			for i := range 4 {
				call([]*lab{one, two}[i%2], "wrong", "10.0.0.1").fails(fault.Auth)
			}
			call(one, "wrong", "10.0.0.1").fails(fault.RateLimited)
			call(two, "wrong", "10.0.0.1").fails(fault.RateLimited)
			call(two, "wrong", "10.0.0.2").fails(fault.Auth)
			call(one, "right", "10.0.0.3").ok()
			call(two, "right", "10.0.0.1").ok()
			call(one, "right", "10.0.0.2").ok()
			call(two, "right", "10.0.0.3").ok()
			call(one, "right", "10.0.0.4").fails(fault.RateLimited)
			call(two, "wrong", "10.0.0.4").fails(fault.Auth)
		}
	})
}

// A call that fails counts by its address as any other of its command.
func TestFailuresCountAtTheLimitByAddress(t *testing.T) {
	t.Parallel()
	proven := reads("LAB.PROVEN", access.Public())
	proven.Limits = []limit.Spec{limit.PerMinute(limit.IP, 3), limit.PerMinute(limit.Token, 9)}
	proven.Subject = func(_ context.Context, p params) (command.Subject, error) {
		return command.Subject{Counted: p.Value, Proven: func(*outbound.Client) bool { return p.Value == "right" }}, nil
	}
	l := newLab(t, proven)
	for _, value := range []string{"a", "b", "right"} {
		l.do(ask{command: "LAB.PROVEN", params: `{"value":"` + value + `"}`}).ok()
	}
	l.do(ask{command: "LAB.PROVEN", params: `{"value":"right"}`}).fails(fault.RateLimited)
	l.do(ask{command: "LAB.PROVEN", params: `{"value":"c"}`}).fails(fault.RateLimited)
}
