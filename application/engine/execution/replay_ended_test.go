package execution_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/harness"
)

// leaving is a lab with a command that ends the session of its caller when its
// value is "own", and another that ends none.
type leaving struct {
	*lab

	runs atomic.Int32
	fail error
}

func newLeaving(t *testing.T, h *harness.Service) *leaving {
	t.Helper()
	l := &leaving{}
	leave := writes(l.leave)
	leave.Name, leave.Emits, leave.Limits = "LAB.LEAVE", []event.Kind{session.KindRevoked}, perMinute("token", 4)
	leave.EndsOwn = func(_ access.Caller, p params) bool { return p.Value == "own" }
	l.lab = over(t, h, leave, writes(echo))
	return l
}

func (l *leaving) leave(ctx context.Context, call command.Call, p params) (result, error) {
	l.runs.Add(1)
	if l.fail != nil || p.Value != "own" {
		return result{Value: p.Value}, l.fail
	}
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) people.Sessions { return peoplestore.Sessions(tx) })
	err := unit.Do(ctx, func(tx people.Sessions) error {
		own, err := tx.ByID(ctx, call.Caller.Session)
		if err != nil {
			return err
		}
		own.End(session.ByLogout, l.Clock.Now())
		return tx.Save(ctx, own)
	})
	return result{Value: "gone"}, err
}

const (
	own  = `{"value":"own"}`
	gone = `{"value":"gone","secret":""}`
)

func (a *answer) ended() {
	a.t.Helper()
	if said := a.fails(fault.Auth).replayed(false).Failure; !said.Is(session.ErrEnded) {
		a.t.Errorf("%s failed with %v", a.Command, said)
	}
}

// The call that ended its own session is answered again, and nothing else is.
func TestSelfRevocationOfSessionIsReplayed(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*harness.Service{"sqlite": harness.New(t), "postgres": harness.On(t, harness.Postgres(t))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLeaving(t, h)
			alice, bob := l.SignUp("alice@example.com"), l.SignUp("bob@example.com")
			l.do(ask{who: alice, key: "w"}).ok()
			l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: own}).is(gone).replayed(false)
			for range 2 {
				l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: own, ip: "203.0.113.9"}).is(gone).replayed(true)
			}
			l.do(ask{who: alice, key: "w"}).ended()
			l.do(ask{who: alice, key: "k", params: own}).ended()
			l.do(ask{command: "LAB.LEAVE", who: alice, params: own}).ended()
			l.Clock.Advance(time.Minute)
			l.do(ask{command: "LAB.LEAVE", who: alice, key: "other", params: own}).ended()
			l.do(ask{command: "LAB.LEAVE", who: alice, key: "k"}).ended()
			l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: own, dryRun: true}).ended()
			l.do(ask{command: "LAB.LEAVE", authorization: "Bearer " + alice.AccessToken + "A", key: "k", params: own}).fails(fault.TokenInvalid)
			l.do(ask{command: "LAB.LEAVE", who: bob, key: "k"}).ok().replayed(false)
			if l.runs.Load() != 2 {
				t.Errorf("%d runs, want Alice's and Bob's", l.runs.Load())
			}
			if n := l.answers(t); n != 3 {
				t.Errorf("%d answers are kept, want 3", n)
			}
		})
	}
}

func (l *leaving) answers(t *testing.T) int {
	t.Helper()
	var n int
	if err := l.Store.Database().Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM idempotency`); err != nil {
		t.Fatal(err)
	}
	return n
}

// What was stored for a session says nothing to one that something else ended, or to
// another of the same person.
func TestStoredAnswerIsHiddenFromSessionsEndedOtherwise(t *testing.T) {
	t.Parallel()
	l := newLeaving(t, harness.New(t))
	l.SignUp("alice@example.com")
	for name, first := range map[string]ask{
		"a call that ended none": {params: `{"value":"none"}`},
		"a dry run":              {params: own, dryRun: true},
		"a refusal":              {params: own},
	} {
		alice := l.Login("alice@example.com", harness.Password)
		first.command, first.who, first.key = "LAB.LEAVE", alice, name
		if l.fail = nil; name == "a refusal" {
			l.fail = fault.New(fault.Denied, "no")
		}
		if refused := l.do(first).Failure != nil; refused != (l.fail != nil) {
			t.Fatalf("%s: refused = %v", name, refused)
		}
		alice.Do("AUTH.LOGOUT", nil).OK()
		l.do(first).ended()
	}
	l.fail = nil
	one, two := l.Login("alice@example.com", harness.Password), l.Login("alice@example.com", harness.Password)
	l.do(ask{command: "LAB.LEAVE", who: one, key: "k", params: own}).is(gone)
	two.Do("AUTH.LOGOUT", nil).OK()
	l.do(ask{command: "LAB.LEAVE", who: two, key: "k", params: own}).ended()
	l.do(ask{command: "LAB.LEAVE", who: one, key: "k", params: own}).is(gone).replayed(true)

	l.Superadmin().Do("USER.DISABLE", harness.P{"user_id": one.UserID}).OK()
	l.do(ask{command: "LAB.LEAVE", who: one, key: "k", params: own}).ended()
}

// Asking again counts as any call, also with keys that nothing is stored for.
func TestTheEndOfASessionIsLimited(t *testing.T) {
	t.Parallel()
	l := newLeaving(t, harness.New(t))
	alice := l.SignUp("alice@example.com")
	l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: own}).is(gone)
	for _, key := range []string{"a", "b", "c"} {
		l.do(ask{command: "LAB.LEAVE", who: alice, key: key, params: own}).ended()
	}
	l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: own}).fails(fault.RateLimited)
	// What counts against no limit, since it must fail, asks for nothing either.
	l.Clock.Advance(time.Minute)
	l.engine.Transactions = untouched{l.Store, t}
	l.do(ask{command: "LAB.LEAVE", who: alice, key: "k", params: `{}`}).ended()
}

// untouched fails its test when a transaction is begun.
type untouched struct {
	outbound.Transactions

	t *testing.T
}

func (u untouched) Within(context.Context, func(context.Context) bool) error {
	u.t.Error("a transaction was begun")
	return nil
}
