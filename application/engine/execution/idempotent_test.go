package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/harness"
)

// counted is a lab whose command stores an event, answers how often it ran, and
// then fails as the test says.
type counted struct {
	*lab

	runs atomic.Int32
	fail func() error
}

func newCounted(t *testing.T, h *harness.Service, more ...spec) *counted {
	t.Helper()
	c := &counted{fail: func() error { return nil }}
	c.lab = over(t, h, append(more, writes(c.handle))...)
	return c
}

func (c *counted) handle(ctx context.Context, _ command.Call, _ params) (result, error) {
	n := c.runs.Add(1)
	if err := c.record(ctx); err != nil {
		return result{}, err
	}
	return result{Value: fmt.Sprintf("run %d", n), Secret: secret.Shown(fmt.Sprintf("secret %d", n))}, c.fail()
}

const first = `{"value":"run 1","secret":"secret 1"}`

func (a *answer) replayed(want bool) *answer {
	a.t.Helper()
	if a.Replayed != want {
		a.t.Fatalf("%s: replayed = %v, want %v", a.Command, a.Replayed, want)
	}
	return a
}

// A key of one workspace means nothing in another, where the effect is another.
func TestAKeyIsOfOneWorkspace(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	alice, bob := c.SignUp("alice@example.com"), c.SignUp("bob@example.com")
	c.execute(`INSERT INTO members (org_id, user_id, grants, joined_at, version)
		SELECT org_id, $1, grants, joined_at, version FROM members WHERE user_id = $2`, alice.UserID, bob.UserID)
	pair := c.Anonymous().Do("AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": harness.Password, "org_id": bob.OrgID}).OK()
	elsewhere := c.With(pair.String("access_token"))
	c.do(ask{who: alice, key: "k"}).is(first).replayed(false)
	c.do(ask{who: elsewhere, key: "k"}).replayed(false)
	c.do(ask{who: alice, key: "k"}).is(first).replayed(true)
}

func TestTheSameKeyAnswersAgain(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	alice := c.SignUp("alice@example.com")
	c.do(ask{who: alice, key: "k"}).is(first).replayed(false)
	for range 3 {
		c.do(ask{who: alice, key: "k", ip: "203.0.113.9"}).is(first).replayed(true)
	}
	again := c.Login("alice@example.com", harness.Password)
	c.do(ask{who: again, key: "k"}).is(first).replayed(true) // the caller is the person
	if c.runs.Load() != 1 || c.recorded() != 1 {
		t.Errorf("%d runs, %d events", c.runs.Load(), c.recorded())
	}
	c.do(ask{who: alice, key: "K"}).is(`{"value":"run 2","secret":"secret 2"}`).replayed(false)
	c.do(ask{who: alice}).is(`{"value":"run 3","secret":"secret 3"}`).replayed(false)
}

func TestAKeyIsForOneBodyCallerAndCommand(t *testing.T) {
	t.Parallel()
	other := writes(nil)
	other.Name, other.Handle = "LAB.OTHER", echo
	c := newCounted(t, harness.New(t), other)
	alice, bob := c.SignUp("alice@example.com"), c.SignUp("bob@example.com")
	c.do(ask{who: alice, key: "k"}).is(first)

	otherBody := ask{who: alice, key: "k", params: `{"value":"y"}`}
	if said := c.do(otherBody).fails(fault.Validation).replayed(false).Failure.Message; !strings.Contains(said, "Idempotency-Key") {
		t.Errorf("message = %q", said)
	}
	c.do(ask{who: alice, key: "k", dryRun: true}).fails(fault.Validation)
	c.do(ask{who: alice, key: "k"}).is(first).replayed(true) // the refusal changed nothing
	c.do(ask{who: bob, key: "k"}).is(`{"value":"run 2","secret":"secret 2"}`).replayed(false)
	c.do(ask{command: "LAB.OTHER", who: alice, key: "k"}).is(`{"value":"x","secret":"hush"}`).replayed(false)
}

// A key made of a user and a command must not be another's of a longer name.
func TestKeysDoNotRunIntoEachOther(t *testing.T) {
	t.Parallel()
	other := writes(nil)
	other.Name, other.Handle = "LAB.WRITE_X", echo
	c := newCounted(t, harness.New(t), other)
	alice := c.SignUp("alice@example.com")
	c.do(ask{who: alice, key: "X|k"}).replayed(false)
	c.do(ask{command: "LAB.WRITE_X", who: alice, key: "k"}).is(`{"value":"x","secret":"hush"}`).replayed(false)
	c.do(ask{who: alice, key: "k"}).replayed(false)
}

func TestAKeyHoldsForADay(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	c.SignUp("alice@example.com")
	fresh := func() *harness.Actor { return c.Login("alice@example.com", harness.Password) }
	c.do(ask{who: fresh(), key: "k"}).is(first)
	c.Clock.Advance(24*time.Hour - time.Second)
	c.do(ask{who: fresh(), key: "k"}).is(first).replayed(true)
	c.Clock.Advance(time.Second)
	c.do(ask{who: fresh(), key: "k", params: `{"value":"y"}`}).is(`{"value":"run 2","secret":"secret 2"}`).replayed(false)
	c.Clock.Advance(23 * time.Hour)
	c.do(ask{who: fresh(), key: "k", params: `{"value":"y"}`}).replayed(true)
}

// A refusal of the handler is an answer: it is stored with what the handler
// stored, and told again in every part.
func TestRefusalsAreKept(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	refusal := &fault.Error{
		Code: fault.FlowBlocked, Message: "no", Fields: []fault.Field{{Path: "/value", Message: "bad"}},
		Flow: &fault.Flow{Name: "f", Node: "n", Reason: "r"}, RetryAfter: 7 * time.Second,
	}
	c.fail = func() error { return fmt.Errorf("wrapped: %w", refusal) }
	alice := c.SignUp("alice@example.com")
	c.do(ask{who: alice, key: "k"}).fails(fault.FlowBlocked).replayed(false)
	c.fail = func() error { return nil }
	again := c.do(ask{who: alice, key: "k"}).fails(fault.FlowBlocked).replayed(true).Failure
	if again.Message != "no" || len(again.Fields) != 1 || again.Fields[0] != refusal.Fields[0] || again.Flow == nil || *again.Flow != *refusal.Flow {
		t.Errorf("told again as %+v", again)
	}
	if c.runs.Load() != 1 || c.recorded() != 1 {
		t.Errorf("%d runs, %d events", c.runs.Load(), c.recorded())
	}
}

// Nothing of a broken call stays, and the key is free for the next try: also
// after a panic, which must not keep the transaction open.
func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("the disk is full") },
		"fault": func() error { return fault.New(fault.Internal, "x") },
		"panic": func() error { panic("x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounted(t, harness.New(t))
			alice := c.SignUp("alice@example.com")
			c.fail = fail
			for range 3 {
				c.do(ask{who: alice, key: "k"}).fails(fault.Internal).replayed(false)
			}
			if c.recorded() != 0 {
				t.Error("an effect stayed")
			}
			if got := len(c.logs.lines(t)); got != 3 {
				t.Errorf("%d entries in the log, want 3", got)
			}
			c.fail = func() error { return nil }
			c.do(ask{who: alice, key: "k"}).is(`{"value":"run 4","secret":"secret 4"}`).replayed(false)
			c.do(ask{who: alice, key: "k"}).replayed(true)
			if c.recorded() != 1 {
				t.Errorf("%d events", c.recorded())
			}
		})
	}
}

// A command that waits for something outside keeps no transaction open meanwhile: its
// twin waits for its answer, everybody else goes on.
func TestDuplicateWaitsForAPausedCall(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	c := newCounted(t, h)
	alice, bob := c.SignUp("alice@example.com"), c.SignUp("bob@example.com")
	outside, back := make(chan struct{}), make(chan struct{})
	slow := writes(func(ctx context.Context, call command.Call, p params) (result, error) {
		if err := c.Store.Pause(ctx, func() error { close(outside); <-back; return nil }); err != nil {
			return result{}, err
		}
		return c.handle(ctx, call, p)
	})
	slow.Effect = command.Outside
	c.lab = over(t, h, slow)
	answers := make(chan *answer, 2)
	ask := func() { answers <- c.do(ask{who: alice, key: "k"}) }
	go ask()
	<-outside
	go ask() // it would close the channel again, if it ran
	bob.Do("USER.UPDATE", harness.P{"display_name": "Bob"}).OK()
	close(back)
	one, other := <-answers, <-answers
	one.is(first)
	other.is(first)
	if one.Replayed == other.Replayed || c.runs.Load() != 1 || c.recorded() != 1 {
		t.Errorf("replayed %v and %v, %d runs, %d events", one.Replayed, other.Replayed, c.runs.Load(), c.recorded())
	}
}

// A refusal before the handler is none of the command's answers.
func TestEarlyRefusalsAreNotKept(t *testing.T) {
	t.Parallel()
	outside := writes(nil)
	outside.Name, outside.Effect, outside.Handle = "LAB.OUTSIDE", command.Outside, echo
	limited := writes(nil)
	limited.Name, limited.Handle, limited.Limits = "LAB.LIMITED", echo, perMinute("token", 1)
	c := newCounted(t, harness.New(t), outside, limited)
	alice := c.SignUp("alice@example.com")

	c.do(ask{who: alice, key: "k", params: `{}`}).fails(fault.Validation)
	c.do(ask{who: alice, key: "k"}).is(first).replayed(false)

	c.do(ask{command: "LAB.OUTSIDE", who: alice, key: "k", dryRun: true}).fails(fault.Validation)
	c.do(ask{command: "LAB.OUTSIDE", who: alice, key: "k"}).ok().replayed(false)
	c.do(ask{command: "LAB.OUTSIDE", who: alice, key: "k"}).ok().replayed(true)

	c.do(ask{command: "LAB.LIMITED", who: alice}).ok()
	c.do(ask{command: "LAB.LIMITED", who: alice, key: "k"}).fails(fault.RateLimited)
	c.Clock.Advance(time.Minute)
	c.do(ask{command: "LAB.LIMITED", who: alice, key: "k"}).ok().replayed(false)
}

// An answer is nobody's who may not call any more, or who calls with nothing.
func TestReplaysNeedTheCredential(t *testing.T) {
	t.Parallel()
	open := writes(echo)
	open.Name, open.Access, open.Emits = "LAB.OPEN", access.Public(), nil
	admin := writes(echo)
	admin.Name, admin.Access = "LAB.ADMIN", access.Superadmin()
	c := newCounted(t, harness.New(t), open, admin)
	alice, root := c.SignUp("alice@example.com"), c.Superadmin()
	c.do(ask{who: alice, key: "k"}).is(first)
	c.do(ask{key: "k"}).fails(fault.Auth)
	alice.Do("AUTH.LOGOUT", nil).OK()
	c.do(ask{who: alice, key: "k"}).fails(fault.Auth)

	if said := c.do(ask{command: "LAB.OPEN", key: "k"}).fails(fault.Validation).Failure.Message; !strings.Contains(said, "Idempotency-Key") {
		t.Errorf("message = %q", said)
	}
	c.do(ask{command: "LAB.OPEN", who: root, key: "k"}).fails(fault.Validation) // it heeds no credential
	c.do(ask{command: "LAB.OPEN"}).ok()

	bob := c.SignUp("bob@example.com")
	root.Do("USER.SET_SUPERADMIN", harness.P{"user_id": bob.UserID, "is_superadmin": true}).OK()
	c.do(ask{command: "LAB.ADMIN", who: bob, key: "k"}).ok()
	root.Do("USER.SET_SUPERADMIN", harness.P{"user_id": bob.UserID, "is_superadmin": false}).OK()
	c.do(ask{command: "LAB.ADMIN", who: bob, key: "k"}).fails(fault.Denied)
}

func TestReadingIgnoresKeys(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()), reads("LAB.OPEN", access.Public()))
	alice := l.SignUp("alice@example.com")
	for _, value := range []string{"x", "y"} {
		sent := `{"value":"` + value + `"}`
		l.do(ask{command: "LAB.READ", who: alice, key: "k", params: sent}).is(`{"value":"` + value + `","secret":"hush"}`).replayed(false)
		l.do(ask{command: "LAB.OPEN", key: "k", params: sent}).fails(fault.Validation)
	}
}

// What is kept shows neither the secret nor the parameters nor whose it is.
func TestAnswersAreSealed(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	alice := c.SignUp("alice@example.com")
	c.do(ask{who: alice, key: "the-key", params: `{"value":"the-value"}`}).is(first)
	var row struct{ Key, Body, Answer string }
	if err := c.Store.Database().Read.GetContext(t.Context(), &row, `SELECT key, body, answer FROM idempotency`); err != nil {
		t.Fatal(err)
	}
	if row.Answer == "" || row.Body == "" {
		t.Fatalf("kept %+v", row)
	}
	for _, plain := range []string{"secret 1", "run 1", "the-value", "the-key", alice.UserID, "LAB.WRITE"} {
		if strings.Contains(row.Key+row.Body+row.Answer, plain) {
			t.Errorf("%q is kept in clear: %+v", plain, row)
		}
	}
	// An answer that was put to another key does not open.
	other := ask{who: alice, key: "other", params: `{"value":"the-value"}`}
	c.do(other).ok().replayed(false)
	if _, err := c.Store.Database().Write.ExecContext(t.Context(), `UPDATE idempotency SET answer = $1`, row.Answer); err != nil {
		t.Fatal(err)
	}
	c.do(other).fails(fault.Internal)
}

// A twin waits until the first has been answered, on whichever replica.
func TestDuplicatesWait(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	for name, replicas := range map[string]func(t *testing.T) (one, two *harness.Service){
		"sqlite":   func(t *testing.T) (*harness.Service, *harness.Service) { h := harness.New(t); return h, h },
		"postgres": func(t *testing.T) (*harness.Service, *harness.Service) { return harness.On(t, dsn), harness.On(t, dsn) },
	} {
		t.Run(name, func(t *testing.T) {
			here, there := replicas(t)
			inside, proceed := make(chan struct{}), make(chan struct{})
			c, d := newCounted(t, here), newCounted(t, there)
			c.fail = func() error {
				close(inside)
				<-proceed
				return nil
			}
			alice := c.SignUp("alice@example.com")
			var all sync.WaitGroup
			all.Go(func() { c.do(ask{who: alice, key: "k"}) })
			<-inside
			answers := make([]*answer, 8)
			for i := range answers {
				all.Go(func() { answers[i] = d.do(ask{who: alice, key: "k"}) })
			}
			all.Go(func() { close(proceed) })
			all.Wait()
			for _, twin := range answers {
				twin.is(first).replayed(true)
			}
			if c.runs.Load() != 1 || d.runs.Load() != 0 || c.recorded() != 1 {
				t.Errorf("%d and %d runs, %d events", c.runs.Load(), d.runs.Load(), c.recorded())
			}
		})
	}
}
