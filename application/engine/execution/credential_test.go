package execution_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

func TestAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(echo))
	alice := l.SignUp("alice@example.com")
	foreign := harness.On(t, harness.SQLite(t), "JWT_SECRET=Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9")
	stranger := foreign.SignUp("alice@example.com")
	abroad := harness.On(t, harness.SQLite(t), "SERVICE_HOST=https://elsewhere.example.com")
	tourist := abroad.SignUp("alice@example.com")
	token := alice.AccessToken
	head, tail, _ := strings.Cut(token, ".")
	for header, want := range map[string]fault.Code{
		"Bearer " + token: "", "bearer " + token: "", "BEARER " + token: "", "Bearer  " + token: "",
		"": fault.Auth, "Basic YTpi": fault.Auth, token: fault.Auth, "Bearer": fault.TokenInvalid, "DPoP " + token: fault.TokenInvalid,
		"Bearer:" + token: fault.Auth, " Bearer " + token: fault.Auth, "Bearer\t" + token: fault.Auth,
		"Bearer   ": fault.TokenInvalid, "Bearer " + token + " ": fault.TokenInvalid, "Bearer " + token + "," + token: fault.TokenInvalid,
		"Bearer " + token + "\n": fault.TokenInvalid, "Bearer " + token + "=": fault.TokenInvalid, "Bearer " + token[:len(token)-1]: fault.TokenInvalid,
		"Bearer " + alice.RefreshToken: fault.TokenInvalid, "Bearer ak_live_x": fault.Auth, "Bearer \u00fc": fault.TokenInvalid,
		"Bearer " + head + "." + tail + "." + tail: fault.TokenInvalid, "Bearer ..": fault.TokenInvalid, "Bearer " + head + "..": fault.TokenInvalid,
		"Bearer " + stranger.AccessToken: fault.TokenInvalid, "Bearer " + tourist.AccessToken: fault.TokenInvalid,
		"Bearer " + strings.Repeat("A", 1<<20): fault.TokenInvalid, "Bearer " + strings.Repeat(".", 1<<20): fault.TokenInvalid,
	} {
		failure := l.do(ask{authorization: header}).Failure
		if want == "" && failure != nil || want != "" && (failure == nil || failure.Code != want) {
			t.Errorf("%.80q = %v, want %q", header, failure, want)
		}
		if failure != nil && strings.Contains(failure.Message, "eyJ") {
			t.Errorf("%.80q: the token is quoted: %s", header, failure.Message)
		}
	}
	if logged := l.logs.lines(t); len(logged) > 0 {
		t.Errorf("logged %v", logged)
	}
}

// Expired is said of a token that is right in everything else, before anything
// else is said about the session.
func TestExpiredTokens(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(echo))
	alice := l.SignUp("alice@example.com")
	l.Clock.Advance(15*time.Minute - time.Second)
	l.do(ask{who: alice}).ok()
	l.Clock.Advance(time.Second)
	l.do(ask{who: alice}).fails(fault.TokenExpired)
	l.do(ask{authorization: "Bearer " + alice.AccessToken[:len(alice.AccessToken)-4] + "AAAA"}).fails(fault.TokenInvalid)
	renewed := l.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": alice.RefreshToken})
	l.do(ask{who: l.With(renewed.String("access_token"))}).ok()
	l.Clock.Advance(90 * 24 * time.Hour)
	l.do(ask{who: alice}).fails(fault.TokenExpired)
}

// Whatever ends a credential is felt by the next request on the other replica,
// which has the token's signature in its cache.
func TestRevocationTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here := harness.On(t, dsn)
	l := over(t, harness.On(t, dsn), writes(echo))
	root := here.Superadmin()
	for name, c := range map[string]struct {
		end  func(a *harness.Actor)
		want fault.Code
	}{
		"logout":  {func(a *harness.Actor) { a.Do("AUTH.LOGOUT", nil).OK() }, fault.Auth},
		"revoke":  {func(a *harness.Actor) { a.Do("SESSION.REVOKE", harness.P{"session_id": a.SessionID}).OK() }, fault.Auth},
		"disable": {func(a *harness.Actor) { root.Do("USER.DISABLE", harness.P{"user_id": a.UserID}).OK() }, fault.Auth},
		"delete":  {func(a *harness.Actor) { root.Do("USER.DELETE", harness.P{"user_id": a.UserID}).OK() }, fault.Auth},
	} {
		victim := here.SignUp(name + "@example.com")
		seen := l.With(victim.AccessToken)
		l.do(ask{who: seen}).ok()
		l.do(ask{who: seen, dryRun: true}).ok()
		c.end(victim)
		l.do(ask{who: seen}).fails(c.want)
	}
}

// A key that was revoked elsewhere drops what it signed, cached or not; one that
// was rotated in elsewhere is accepted before this replica has heard of it.
func TestKeysOfOtherReplicas(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here := harness.On(t, dsn)
	l := over(t, harness.On(t, dsn), writes(echo))
	root, alice := here.Superadmin(), here.SignUp("alice@example.com")
	l.do(ask{who: l.With(alice.AccessToken)}).ok()
	old := root.Do("JWT_KEY.ROTATE", nil).String("previous_kid")
	l.do(ask{who: l.With(alice.AccessToken)}).ok() // within the overlap
	newer := here.Login("alice@example.com", harness.Password)
	root = here.Superadmin()
	root.Do("JWT_KEY.ROTATE", nil).OK()
	newest := here.Login("alice@example.com", harness.Password)
	l.do(ask{who: l.With(newest.AccessToken)}).ok()
	root.Do("JWT_KEY.REVOKE", harness.P{"kid": old}).OK()
	l.do(ask{who: l.With(alice.AccessToken)}).fails(fault.TokenInvalid)
	l.do(ask{who: l.With(newer.AccessToken)}).ok()
}

// Roles end at their time, and superadmins when they are told, with the same
// token in hand.
func TestRightsAreThoseOfTheMoment(t *testing.T) {
	t.Parallel()
	hold, admin := writes(echo), writes(echo)
	hold.Name, hold.Access = "LAB.HOLD", access.Holding("members:read")
	admin.Name, admin.Access = "LAB.ADMIN", access.Superadmin()
	l := newLab(t, hold, admin)
	root, alice := l.Superadmin(), l.SignUp("alice@example.com")
	unit := sqlstore.NewUnit(l.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	err := unit.Do(t.Context(), func(tx workspaces.Workspaces) error {
		m, err := tx.Member(t.Context(), workspace.ID(alice.OrgID), user.ID(alice.UserID))
		if err != nil {
			return err
		}
		m.Assign(workspace.Builtin("member"), l.Clock.Now().Add(time.Minute))
		m.Unassign(workspace.Builtin("owner"))
		return tx.SaveMember(t.Context(), m)
	})
	if err != nil {
		t.Fatal(err)
	}
	l.do(ask{command: "LAB.HOLD", who: alice}).ok()
	l.Clock.Advance(time.Minute)
	l.do(ask{command: "LAB.HOLD", who: alice}).fails(fault.Denied)

	l.do(ask{command: "LAB.ADMIN", who: alice}).fails(fault.Denied)
	for _, super := range []bool{true, false} {
		root.Do("USER.SET_SUPERADMIN", harness.P{"user_id": alice.UserID, "is_superadmin": super}).OK()
		if failed := l.do(ask{command: "LAB.ADMIN", who: alice}).Failure != nil; failed == super {
			t.Errorf("superadmin %v: failed = %v", super, failed)
		}
	}
}

// A token of one session, whose row another took the place of, is nobody's.
func TestSessionIsTheStores(t *testing.T) {
	t.Parallel()
	l := newLab(t, writes(echo))
	alice := l.SignUp("alice@example.com")
	if _, err := l.Store.Database().Write.ExecContext(t.Context(), `DELETE FROM sessions WHERE id = $1`, alice.SessionID); err != nil {
		t.Fatal(err)
	}
	if said := l.do(ask{who: alice}).fails(fault.Auth).Failure; !said.Is(session.ErrEnded) {
		t.Errorf("failed with %v", said)
	}
}
