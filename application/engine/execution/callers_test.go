package execution_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/test/harness"
)

// What is for one kind of caller says so to the others.
func TestKindsOfCallers(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.PERSON", access.User().InPerson()), reads("LAB.USER", access.User()), reads("LAB.ANY", access.Anybody()),
		reads("LAB.CLIENT", access.Client("apps:read")), reads("LAB.HOLD", access.Holding("apps:read")), reads("LAB.NO_APP", access.Holding("apps:read").But(access.App)))
	alice := l.SignUp("alice@example.com")
	key, scoped := l.apiKey(alice, nil), l.issue(l.app(alice, "apps:read"), "apps:read", "", nil)
	bare := l.issue(l.app(alice, "apps:read"), "openid", "", nil)
	type says map[string]error
	needs := fault.New(fault.Denied, "this command requires an M2M token with the scope apps:read")
	holds := fault.New(fault.Denied, "this command requires the permission apps:read")
	for authorization, want := range map[string]says{
		"Bearer " + alice.AccessToken: {"LAB.CLIENT": access.ErrAppsOnly},
		key.bearer():                  {"LAB.PERSON": access.ErrInPerson, "LAB.CLIENT": access.ErrAppsOnly},
		scoped.bearer():               {"LAB.PERSON": access.ErrInPerson, "LAB.USER": access.ErrNotForApps, "LAB.NO_APP": access.ErrNotForApps},
		bare.bearer():                 {"LAB.PERSON": access.ErrInPerson, "LAB.USER": access.ErrNotForApps, "LAB.NO_APP": access.ErrNotForApps, "LAB.CLIENT": needs, "LAB.HOLD": holds},
	} {
		for _, name := range []string{"LAB.PERSON", "LAB.USER", "LAB.ANY", "LAB.CLIENT", "LAB.HOLD", "LAB.NO_APP"} {
			said := l.do(ask{command: name, authorization: authorization})
			if refusal := want[name]; refusal == nil {
				said.ok()
			} else if got := said.fails(fault.Denied).Failure.Message; got != fault.From(refusal).Message {
				t.Errorf("%s by %.20s: %q, want %q", name, authorization, got, refusal)
			}
		}
	}
}

// Who does not hold good is told that, not that another kind of caller is wanted.
func TestCredentialsAreJudgedBeforeKinds(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.PERSON", access.User().InPerson()))
	alice, owner := l.SignUp("alice@example.com"), newHolder(t)
	of := l.app(alice)
	revoked, held := l.apiKey(alice, nil), l.issue(of, "openid", owner.thumbprint(), nil)
	l.execute(`UPDATE api_keys SET revoked_at = created_at`)
	for name, c := range map[string]struct {
		asked ask
		want  fault.Code
	}{
		"a revoked key":             {ask{authorization: revoked.bearer()}, fault.Auth},
		"a key that never was":      {ask{authorization: "Bearer " + string(keytext.New(keytext.APIKey, system.Random{}))}, fault.Auth},
		"bound, as a bearer":        {ask{authorization: held.bearer()}, fault.TokenInvalid},
		"bound, with another proof": {ask{authorization: "DPoP " + held.text, proof: newHolder(t).proof(l, held.text, nil)}, fault.Auth},
		"bound, with a right proof": {ask{authorization: "DPoP " + held.text, proof: owner.proof(l, held.text, nil)}, fault.Denied},
	} {
		c.asked.command = "LAB.PERSON"
		if failure := l.do(c.asked).Failure; failure == nil || failure.Code != c.want {
			t.Errorf("%s: %v, want %s", name, failure, c.want)
		}
	}
}

// A stored answer is the credential's own: a key, its user and an app use the same
// Idempotency-Key for themselves.
func TestIdempotencyKeysOfMachines(t *testing.T) {
	t.Parallel()
	c := &counted{fail: func() error { return nil }}
	everybody := writes(c.handle)
	everybody.Access = access.Anybody().Unscoped()
	c.lab = newLab(t, everybody)
	alice := c.SignUp("alice@example.com")
	one, two := c.apiKey(alice, nil), c.apiKey(alice, nil)
	this, that := c.app(alice), c.app(alice)
	again := c.Login("alice@example.com", harness.Password)
	asked := []ask{
		{who: alice, key: "k"},
		{authorization: one.bearer(), key: "k"},
		{authorization: two.bearer(), key: "k"},
		{authorization: c.issue(this, "", "", nil).bearer(), key: "k"},
		{authorization: c.issue(that, "", "", nil).bearer(), key: "k"},
	}
	var answers []string
	for _, a := range asked {
		answers = append(answers, string(c.do(a).ok().replayed(false).Data))
	}
	// Another credential of the same subject is the same caller.
	asked[0] = ask{who: again, key: "k"}
	asked[3] = ask{authorization: c.issue(this, "", "", nil).bearer(), key: "k"}
	for i, a := range asked {
		c.do(a).is(answers[i]).replayed(true)
	}
	if int(c.runs.Load()) != len(asked) || c.recorded() != len(asked) {
		t.Errorf("%d runs, %d events, want %d", c.runs.Load(), c.recorded(), len(asked))
	}
	c.execute(`UPDATE api_keys SET revoked_at = created_at WHERE id = $1`, one.ID.String())
	c.do(asked[1]).fails(fault.Auth)
}

// Events name the user behind a key with the key, and an app without either.
func TestEventsNameMachines(t *testing.T) {
	t.Parallel()
	var l *lab
	everybody := writes(func(ctx context.Context, _ command.Call, _ params) (result, error) { return result{}, l.record(ctx) })
	everybody.Access = access.Anybody().Unscoped()
	l = newLab(t, everybody)
	alice := l.SignUp("alice@example.com")
	key, of := l.apiKey(alice, nil), l.app(alice)
	l.do(ask{authorization: key.bearer()}).ok()
	l.do(ask{authorization: l.issue(of, "", "", nil).bearer()}).ok()
	stored := l.Events(setting.KindUpdated) // newest first
	for i, want := range []event.Origin{
		{ActorKind: "app", ActorID: of.ID().String(), IP: "192.0.2.1", UserAgent: "lab", RequestID: "req-lab", Command: "LAB.WRITE"},
		{ActorKind: "user", ActorID: alice.UserID, Credential: key.ID.String(), IP: "192.0.2.1", UserAgent: "lab", RequestID: "req-lab", Command: "LAB.WRITE"},
	} {
		if stored[i].Origin != want {
			t.Errorf("origin = %+v, want %+v", stored[i].Origin, want)
		}
	}
	if !strings.HasPrefix(stored[1].Origin.Credential, "key_") {
		t.Errorf("the credential is %q", stored[1].Origin.Credential)
	}
}

// Optional commands are told of machines too; public ones look at nothing.
func TestOpenCommandsAndMachines(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.Optional()))
	l := newLab(t, tell, reads("LAB.OPEN", access.Public()))
	alice := l.SignUp("alice@example.com")
	key, token := l.apiKey(alice, nil), l.issue(l.app(alice), "openid", "", nil)
	for authorization, want := range map[string]access.Kind{key.bearer(): access.Key, token.bearer(): access.App, "": ""} {
		l.do(ask{command: "LAB.TELL", authorization: authorization}).ok()
		if heard.Caller.Kind != want {
			t.Errorf("told of %q, want %q", heard.Caller.Kind, want)
		}
	}
	l.execute(`UPDATE api_keys SET revoked_at = created_at`)
	l.do(ask{command: "LAB.TELL", authorization: key.bearer()}).fails(fault.Auth)
	for _, authorization := range []string{key.bearer(), "Bearer ak_live_nonsense", "DPoP x"} {
		l.do(ask{command: "LAB.OPEN", authorization: authorization}).ok()
	}
}

// Calls by machines count by the credential, over all commands and for one.
func TestLimitsOfMachines(t *testing.T) {
	t.Parallel()
	limited := writes(echo)
	limited.Access, limited.Limits = access.Anybody().Unscoped(), perMinute(limit.Token, 3)
	l := newLab(t, limited, reads("LAB.READ", access.Anybody()))
	alice := l.SignUp("alice@example.com")
	one, two := l.apiKey(alice, nil), l.apiKey(alice, nil)
	this, that := l.app(alice), l.app(alice)
	wait := l.passes(3, ask{authorization: one.bearer()})
	l.passes(3, ask{authorization: two.bearer()})
	l.passes(3, ask{who: alice})
	l.passes(3, ask{authorization: l.issue(this, "", "", nil).bearer()})
	l.do(ask{authorization: l.issue(this, "", "", nil).bearer()}).fails(fault.RateLimited) // another token evades nothing
	l.passes(3, ask{authorization: l.issue(that, "", "", nil).bearer()})
	l.truthful(wait, ask{authorization: one.bearer()})

	l.Clock.Advance(time.Minute)
	for i := range 600 {
		if f := l.do(ask{command: "LAB.READ", authorization: one.bearer()}).Failure; f != nil {
			t.Fatalf("call %d: %v", i+1, f)
		}
	}
	l.do(ask{command: "LAB.READ", authorization: one.bearer()}).fails(fault.RateLimited)
	l.do(ask{command: "LAB.READ", authorization: two.bearer()}).ok()
}
