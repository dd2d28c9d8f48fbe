package execution_test

import (
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// A rule may ask some calls alone for a recent login; who sends no session, and who
// sends malformed parameters, is asked for none.
func TestRecentForSomeParameters(t *testing.T) {
	t.Parallel()
	narrowed := writes(echo)
	narrowed.Name, narrowed.Access = "LAB.SOME", access.Optional().Recent()
	narrowed.Recent = func(p params) bool { return p.Value == "secret" }
	always := writes(echo)
	always.Name, always.Access, always.Effect = "LAB.ALWAYS", access.User().Unscoped().Recent(), command.Outside
	l := newLab(t, narrowed, always)
	who := l.SignUp("alice@example.com")
	key := l.With(who.Do("API_KEY.CREATE", map[string]any{"name": "k", "scopes": []string{}}).OK().String("key"))
	const secret, plain, wrong = `{"value":"secret"}`, `{"value":"x"}`, `{}`
	l.do(ask{command: "LAB.SOME", who: who, params: secret}).ok()
	l.do(ask{command: "LAB.ALWAYS", who: who}).ok()
	l.Clock.Advance(access.RecentFor + time.Second)
	who.AccessToken = l.Anonymous().Do("AUTH.REFRESH", map[string]any{"refresh_token": who.RefreshToken}).OK().String("access_token")
	notRecent := func(a ask) {
		t.Helper()
		if refused := l.do(a).fails(fault.Auth); refused.Failure != access.ErrNotRecent {
			t.Errorf("%s %s = %v, want ErrNotRecent", a.command, a.params, refused.Failure)
		}
	}
	notRecent(ask{command: "LAB.SOME", who: who, params: secret})
	notRecent(ask{command: "LAB.ALWAYS", who: who})
	notRecent(ask{command: "LAB.ALWAYS", who: who, params: wrong})
	l.do(ask{command: "LAB.SOME", who: who, params: plain}).ok()
	l.do(ask{command: "LAB.SOME", who: who, params: wrong}).fails(fault.Validation)
	l.do(ask{command: "LAB.SOME", params: secret}).ok()
	for _, name := range []string{"LAB.SOME", "LAB.ALWAYS"} {
		l.do(ask{command: name, who: key, params: secret}).ok()
	}
}
