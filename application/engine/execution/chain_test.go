package execution_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/test/harness"
)

const bad = `{"value":"","more":1}`

// What is wrong with a call is told in the order in which the policies stand.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	admin := reads("LAB.ADMIN", access.Superadmin())
	holding := reads("LAB.HOLD", access.Holding("audit:write"))
	public := reads("LAB.OPEN", access.Public())
	l := newLab(t, admin, holding, public, writes(echo), reads("LAB.READ", access.User()))
	alice, root := l.SignUp("alice@example.com"), l.Superadmin()
	gone := l.Login("alice@example.com", harness.Password)
	gone.Do("AUTH.LOGOUT", nil).OK()
	for name, c := range map[string]struct {
		ask  ask
		want fault.Code
	}{
		"no such command, before a credential":        {ask{command: "LAB.NONE", authorization: "Bearer x", params: bad}, fault.Unknown},
		"a name in another case":                      {ask{command: "lab.write", who: alice}, fault.Unknown},
		"no name":                                     {ask{command: " "}, fault.Unknown},
		"no credential, before the parameters":        {ask{params: bad}, fault.Auth},
		"an empty credential":                         {ask{authorization: "Bearer ", params: bad}, fault.TokenInvalid},
		"no permission, before the parameters":        {ask{command: "LAB.ADMIN", who: alice, params: bad}, fault.Denied},
		"an ended session, before the parameters":     {ask{who: gone, params: bad}, fault.Auth},
		"an ended session":                            {ask{who: gone}, fault.Auth},
		"no permission":                               {ask{command: "LAB.ADMIN", who: alice}, fault.Denied},
		"no permission, before a dry run":             {ask{command: "LAB.ADMIN", who: alice, dryRun: true}, fault.Denied},
		"a superadmin's parameters":                   {ask{command: "LAB.ADMIN", who: root, params: bad}, fault.Validation},
		"superadmins hold everything":                 {ask{command: "LAB.HOLD", who: root, params: bad}, fault.Validation},
		"an owner holds what a workspace can give":    {ask{command: "LAB.HOLD", who: alice, params: bad}, fault.Validation},
		"parameters, before the key of an idempotent": {ask{who: alice, params: bad, key: "k"}, fault.Validation},
		"parameters, before a dry run":                {ask{command: "LAB.READ", who: alice, params: bad, dryRun: true}, fault.Validation},
		"a public command heeds no credential":        {ask{command: "LAB.OPEN", authorization: "nonsense", params: bad}, fault.Validation},
	} {
		refused := l.do(c.ask).fails(c.want)
		if c.want != fault.Validation && len(refused.Failure.Fields) > 0 {
			t.Errorf("%s: the schema is shown: %v", name, refused.Failure.Fields)
		}
		if c.want == fault.Validation && len(refused.Failure.Fields) != 2 {
			t.Errorf("%s: fields = %v, want both mistakes", name, refused.Failure.Fields)
		}
	}
	if l.recorded() != 0 {
		t.Error("something ran")
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()))
	alice := l.SignUp("alice@example.com")
	for sent, path := range map[string]string{
		`{}`: "/value", `{"value":1}`: "/value", `{"value":null}`: "/value", `{"value":""}`: "/value",
		`{"value":"x","Value":"y"}`: "/Value", `{"value":"x","other":[]}`: "/other", `{"value":"x","/~":1}`: "/~1~0",
	} {
		refused := l.do(ask{command: "LAB.READ", who: alice, params: sent}).fails(fault.Validation)
		if !slices.ContainsFunc(refused.Failure.Fields, func(f fault.Field) bool { return f.Path == path }) {
			t.Errorf("%s: fields = %v, want %s", sent, refused.Failure.Fields, path)
		}
	}
	l.do(ask{command: "LAB.READ", who: alice, params: `{"value":"ü"}`}).is(`{"value":"ü","secret":"hush"}`)
}

func TestHandlersSeeTheCaller(t *testing.T) {
	t.Parallel()
	var heard command.Call
	listen := func(_ context.Context, call command.Call, _ params) (result, error) {
		heard = call
		return result{}, nil
	}
	tell := spec{Name: "LAB.TELL", Summary: "Tell.", Access: access.Optional(), Effect: command.Reads, Handle: listen}
	open := tell
	open.Name, open.Access = "LAB.OPEN", access.Public()
	l := newLab(t, tell, open)
	alice := l.SignUp("alice@example.com")

	l.do(ask{command: "LAB.TELL", who: alice}).ok()
	c := heard.Caller
	if c.User.String() != alice.UserID || c.Session.String() != alice.SessionID || c.Org.String() != alice.OrgID || c.Superadmin ||
		!slices.Equal(c.Roles, []string{"owner"}) || !c.May("members:write") || c.May("users:manage") || !slices.Equal(c.AMR, []string{"pwd"}) ||
		!c.AuthTime.Equal(l.Clock.Now()) || !c.ExpiresAt.Equal(l.Clock.Now().Add(15*time.Minute).Truncate(time.Second)) {
		t.Errorf("caller = %+v", c)
	}
	if heard.IP != "192.0.2.1" || heard.UserAgent != "lab" || heard.RequestID != "req-lab" {
		t.Errorf("call = %+v", heard)
	}
	for _, a := range []ask{{command: "LAB.TELL"}, {command: "LAB.OPEN", who: alice}, {command: "LAB.OPEN", authorization: "Basic x"}} {
		heard = command.Call{}
		l.do(a).ok()
		if heard.Caller.Authenticated() {
			t.Errorf("%s was told of %s", a.command, heard.Caller.User)
		}
	}
	// Who sends a credential means it: a bad one is not taken for none.
	l.do(ask{command: "LAB.TELL", authorization: "Bearer x"}).fails(fault.TokenInvalid)
	l.do(ask{command: "LAB.TELL", authorization: "Basic x"}).fails(fault.Auth)
	l.Clock.Advance(15 * time.Minute)
	l.do(ask{command: "LAB.TELL", who: alice}).fails(fault.TokenExpired)
	l.do(ask{command: "LAB.OPEN", who: alice}).ok()
}

// An internal failure is told to the log, once, and to nobody else.
func TestInternalFailures(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func() (result, error){
		"panic":             func() (result, error) { panic("the vault is at 10.1.1.1") },
		"panic of an error": func() (result, error) { panic(errors.New("the vault is at 10.1.1.1")) },
		"nil pointer": func() (result, error) {
			var nowhere map[string]*result
			return *nowhere["x"], nil
		},
		"error":          func() (result, error) { return result{}, errors.New("the vault is at 10.1.1.1") },
		"internal fault": func() (result, error) { return result{}, fault.New(fault.Internal, "the vault is at 10.1.1.1") },
		"wrapped": func() (result, error) {
			return result{}, fmt.Errorf("10.1.1.1: %w", fault.New(fault.Internal, "the vault").Because(errors.New("10.1.1.1 is down")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, writes(func(context.Context, command.Call, params) (result, error) { return breaks() }))
			alice := l.SignUp("alice@example.com")
			failure := l.do(ask{who: alice}).fails(fault.Internal).Failure
			if failure.Message != "internal error, request id req-lab" || failure.Fields != nil || failure.Unwrap() != nil {
				t.Errorf("the client is told %+v", failure)
			}
			logged := l.logs.lines(t)
			if len(logged) != 1 || logged[0]["level"] != "ERROR" || logged[0]["command"] != "LAB.WRITE" || logged[0]["request_id"] != "req-lab" {
				t.Fatalf("logged %v", logged)
			}
			if cause, _ := logged[0]["cause"].(string); !strings.Contains(cause, "10.1.1.1") && !strings.Contains(cause, "nil pointer") {
				t.Errorf("the cause is logged as %q", cause)
			}
			if strings.HasPrefix(name, "panic") && !strings.Contains(fmt.Sprint(logged[0]["cause"]), "chain_test.go") {
				t.Errorf("the log does not tell where: %v", logged[0]["cause"])
			}
		})
	}
}

// What is outside and does not answer is told to the client by its fixed sentence; the cause
// is the log's.
func TestOutsideFailures(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(func(context.Context, command.Call, params) (result, error) {
		return result{}, fault.Outside("DNS does not answer").Because(errors.New("10.1.1.1 is down"))
	}))
	failure := l.do(ask{who: l.SignUp("alice@example.com")}).fails(fault.Internal).Failure
	if failure.Message != "DNS does not answer, request id req-lab" || !failure.Public() || failure.Unwrap() != nil {
		t.Errorf("the client is told %+v", failure)
	}
	if logged := l.logs.lines(t); len(logged) != 1 || logged[0]["cause"] != "10.1.1.1 is down" {
		t.Errorf("logged %v", logged)
	}
}

// Refusals are the client's business: nothing is logged.
func TestRefusalsAreNotLogged(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(func(context.Context, command.Call, params) (result, error) {
		return result{}, fmt.Errorf("look it up: %w", fault.New(fault.NotFound, "no such thing").Because(errors.New("the reason")))
	}))
	alice := l.SignUp("alice@example.com")
	if got := l.do(ask{who: alice}).fails(fault.NotFound).Failure.Message; got != "no such thing" {
		t.Errorf("message = %q", got)
	}
	l.do(ask{}).fails(fault.Auth)
	l.do(ask{who: alice, params: bad}).fails(fault.Validation)
	if logged := l.logs.lines(t); len(logged) > 0 {
		t.Errorf("logged %v", logged)
	}
}

// Every call is counted by name and code; what a client made up is no name.
func TestEverythingIsObserved(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.READ", access.User()), writes(func(context.Context, command.Call, params) (result, error) { panic("x") }))
	alice := l.SignUp("alice@example.com")
	l.do(ask{command: "LAB.READ", who: alice})
	l.do(ask{command: "LAB.READ"})
	l.do(ask{command: "LAB.\x00MADE_UP", who: alice})
	l.do(ask{who: alice})
	if want := []string{"LAB.READ OK", "LAB.READ AUTH_ERROR", " UNKNOWN_COMMAND", "LAB.WRITE INTERNAL_ERROR"}; !slices.Equal(l.observed.calls, want) {
		t.Errorf("observed %q, want %q", l.observed.calls, want)
	}
}

func TestTimeIsMeasured(t *testing.T) {
	t.Parallel()
	var l *lab
	l = newLab(t, writes(func(context.Context, command.Call, params) (result, error) {
		l.Clock.Advance(3 * time.Second)
		return result{}, nil
	}))
	l.do(ask{who: l.SignUp("alice@example.com")}).ok()
	if got := l.observed.took; len(got) != 1 || got[0] != 3*time.Second {
		t.Errorf("took %v", got)
	}
}

// Events carry who acted, and through which request.
func TestEventsCarryTheirOrigin(t *testing.T) {
	t.Parallel()
	var l *lab
	open := writes(func(ctx context.Context, _ command.Call, _ params) (result, error) { return result{}, l.record(ctx) })
	closed := open
	open.Name, open.Access = "LAB.OPEN", access.Public()
	l = newLab(t, open, closed)
	alice := l.SignUp("alice@example.com")
	l.do(ask{command: "LAB.OPEN", who: alice, ip: "2001:db8::1"}).ok()
	l.do(ask{who: alice}).ok()
	stored := l.Events(setting.KindUpdated)
	for i, want := range []event.Origin{
		{ActorKind: "user", ActorID: alice.UserID, Credential: alice.SessionID, IP: "192.0.2.1", UserAgent: "lab", RequestID: "req-lab", Command: "LAB.WRITE"},
		{ActorKind: "anonymous", IP: "2001:db8::1", UserAgent: "lab", RequestID: "req-lab", Command: "LAB.OPEN"},
	} {
		if stored[i].Origin != want {
			t.Errorf("origin = %+v, want %+v", stored[i].Origin, want)
		}
	}
}

// An event that a declaration does not name is reported, also when the command
// fails after it.
func TestUndeclaredEvents(t *testing.T) {
	t.Parallel()
	var l *lab
	fails := false
	silent := writes(func(ctx context.Context, _ command.Call, _ params) (result, error) {
		if err := l.record(ctx); err != nil || !fails {
			return result{}, err
		}
		return result{}, fault.New(fault.Denied, "no")
	})
	silent.Emits = nil
	l = newLab(t, silent)
	alice := l.SignUp("alice@example.com")
	l.do(ask{who: alice}).ok()
	fails = true
	l.do(ask{who: alice}).fails(fault.Denied)
	if want := []event.Kind{setting.KindUpdated, setting.KindUpdated}; !slices.Equal(l.undeclared, want) {
		t.Errorf("reported %q, want %q", l.undeclared, want)
	}
	if logged := l.logs.lines(t); len(logged) != 2 || logged[0]["kind"] != "settings.updated" || logged[0]["command"] != "LAB.WRITE" {
		t.Errorf("logged %v", logged)
	}
}

func TestDeclaredEventsAreFine(t *testing.T) {
	t.Parallel()
	var l *lab
	l = newLab(t, writes(func(ctx context.Context, _ command.Call, _ params) (result, error) { return result{}, l.record(ctx) }))
	l.do(ask{who: l.SignUp("alice@example.com")}).ok()
	if len(l.undeclared) > 0 || len(l.logs.lines(t)) > 0 || l.recorded() != 1 {
		t.Errorf("reported %q, logged %v, stored %d", l.undeclared, l.logs.lines(t), l.recorded())
	}
}

// A handler may go on for no longer than the server's patience.
func TestHandlersHaveADeadline(t *testing.T) {
	t.Parallel()
	var left time.Duration
	l := newLab(t, writes(func(ctx context.Context, _ command.Call, _ params) (result, error) {
		deadline, ok := ctx.Deadline()
		if ok {
			left = time.Until(deadline)
		}
		return result{}, nil
	}))
	l.do(ask{who: l.SignUp("alice@example.com")}).ok()
	if left <= 0 || left > time.Minute {
		t.Errorf("a handler has %v", left)
	}
}
