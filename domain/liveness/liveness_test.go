package liveness_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

func now() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }

var (
	before, after = now().Add(-time.Microsecond), now().Add(time.Microsecond)
	disabled      = user.Availability{Status: user.Disabled}
	anew          = user.Availability{Status: user.Disabled, DisabledUntil: now()}
)

func login() liveness.Session {
	return liveness.Session{Session: &session.Snapshot{ExpiresAt: after, LastUsedAt: before, Idle: 2 * time.Microsecond}}
}

func key() liveness.Key { return liveness.Key{ExpiresAt: after, Person: anew, Member: true} }

func token() liveness.Token {
	return liveness.Token{
		App:      liveness.App{Enabled: true, Owner: anew},
		IssuedAt: before, RevokedBefore: before, ExpiresAt: after, Org: "own", Epoch: 1, Audience: &liveness.Audience{Org: "own", Epoch: 1},
	}
}

func grant() liveness.Grant {
	return liveness.Grant{
		App:    liveness.App{Enabled: true},
		Grant:  &oauth.GrantSnapshot{RedeemedAt: before, ExpiresAt: after, LastUsedAt: before, Idle: 2 * time.Microsecond},
		Person: anew, SessionUntil: after, Member: true,
	}
}

// of makes facts with a change.
func of[F any](facts F, change func(*F)) F {
	change(&facts)
	return facts
}

func TestFailing(t *testing.T) {
	t.Parallel()
	type facts interface {
		Failing(now time.Time) liveness.Reasons
	}
	for name, c := range map[string]struct {
		facts facts
		want  liveness.Reasons
	}{
		"a session":                    {login(), 0},
		"one that ended":               {of(login(), func(s *liveness.Session) { s.Session.EndedAt = before }), liveness.SessionEnded},
		"one that expired":             {of(login(), func(s *liveness.Session) { s.Session.ExpiresAt = now() }), liveness.SessionExpired},
		"one that is idle":             {of(login(), func(s *liveness.Session) { s.Session.Idle = time.Microsecond }), liveness.SessionIdle},
		"one of a disabled person":     {of(login(), func(s *liveness.Session) { s.Person = disabled }), liveness.AccountDisabled},
		"one in a suspended place":     {of(login(), func(s *liveness.Session) { s.Suspended = true }), liveness.WorkspaceSuspended},
		"one impersonated for nothing": {of(login(), func(s *liveness.Session) { s.Session.ActedBy = "usr_1" }), liveness.ImpersonationEnded},
		"one impersonated until now": {of(login(), func(s *liveness.Session) {
			s.Session.ActedBy, s.Impersonation = "usr_1", &impersonation.Standing{Snapshot: impersonation.Snapshot{ExpiresAt: now()}}
		}), liveness.ImpersonationEnded},
		"with all against it": {of(login(), func(s *liveness.Session) {
			s.Session.EndedAt, s.Session.ExpiresAt, s.Session.Idle, s.Person, s.Suspended = before, before, 0, disabled, true
		}), liveness.SessionEnded | liveness.SessionExpired | liveness.SessionIdle | liveness.AccountDisabled | liveness.WorkspaceSuspended},

		"a key":                    {key(), 0},
		"one for good":             {of(key(), func(k *liveness.Key) { k.ExpiresAt = time.Time{} }), 0},
		"a revoked key":            {of(key(), func(k *liveness.Key) { k.RevokedAt = before }), liveness.KeyRevoked},
		"an expired key":           {of(key(), func(k *liveness.Key) { k.ExpiresAt = now() }), liveness.KeyExpired},
		"a key of no member":       {of(key(), func(k *liveness.Key) { k.Member = false }), liveness.NotMember},
		"a disabled person's key":  {of(key(), func(k *liveness.Key) { k.Person = disabled }), liveness.AccountDisabled},
		"a suspended place's key":  {of(key(), func(k *liveness.Key) { k.Suspended = true }), liveness.WorkspaceSuspended},
		"an app":                   {liveness.App{Enabled: true}, 0},
		"a disabled app":           {liveness.App{}, liveness.AppDisabled},
		"an app of somebody":       {liveness.App{Enabled: true, Owner: disabled}, liveness.OwnerDisabled},
		"a suspended place's app":  {liveness.App{Enabled: true, Suspended: true}, liveness.AppSuspended},
		"a token":                  {token(), 0},
		"a token of a bad app":     {of(token(), func(k *liveness.Token) { k.App = liveness.App{} }), liveness.AppDisabled},
		"a revoked token":          {of(token(), func(k *liveness.Token) { k.RevokedAt = before }), liveness.TokenRevoked},
		"revoked with all":         {of(token(), func(k *liveness.Token) { k.RevokedBefore = now() }), liveness.TokensRevoked},
		"an expired token":         {of(token(), func(k *liveness.Token) { k.ExpiresAt = now() }), liveness.TokenExpired},
		"for a name of nobody":     {of(token(), func(k *liveness.Token) { k.Audience = nil }), 0},
		"for a name of all":        {of(token(), func(k *liveness.Token) { k.Audience = &liveness.Audience{Epoch: 1} }), 0},
		"for a name that came":     {of(token(), func(k *liveness.Token) { k.Audience = &liveness.Audience{Epoch: 2} }), liveness.AudienceMoved},
		"for a name of others":     {of(token(), func(k *liveness.Token) { k.Audience = &liveness.Audience{Org: "other", Epoch: 1} }), liveness.AudienceMoved},
		"a grant":                  {grant(), 0},
		"a grant of a bad app":     {of(grant(), func(g *liveness.Grant) { g.App = liveness.App{} }), liveness.AppDisabled},
		"an unredeemed grant":      {of(grant(), func(g *liveness.Grant) { g.Grant.RedeemedAt = time.Time{} }), liveness.GrantUnredeemed},
		"an ended grant":           {of(grant(), func(g *liveness.Grant) { g.Grant.EndedAt = before }), liveness.GrantEnded},
		"an expired grant":         {of(grant(), func(g *liveness.Grant) { g.Grant.ExpiresAt = now() }), liveness.GrantExpired},
		"an idle grant":            {of(grant(), func(g *liveness.Grant) { g.Grant.Idle = time.Microsecond }), liveness.GrantIdle},
		"after its session":        {of(grant(), func(g *liveness.Grant) { g.SessionUntil = time.Time{} }), liveness.SessionEnded},
		"with an expired session":  {of(grant(), func(g *liveness.Grant) { g.SessionUntil = now() }), liveness.SessionExpired},
		"offline, after both":      {of(grant(), func(g *liveness.Grant) { g.SessionUntil, g.Grant.Offline = time.Time{}, true }), 0},
		"a grant of no member":     {of(grant(), func(g *liveness.Grant) { g.Member = false }), liveness.NotMember},
		"a disabled person's one":  {of(grant(), func(g *liveness.Grant) { g.Person = disabled }), liveness.AccountDisabled},
		"in a suspended place":     {of(grant(), func(g *liveness.Grant) { g.Suspended = true }), liveness.WorkspaceSuspended},
		"of a source that is gone": {of(grant(), func(g *liveness.Grant) { g.Source = liveness.Unknown }), liveness.SourceEnded},
		"of one that rests":        {of(grant(), func(g *liveness.Grant) { g.Source = liveness.WorkspaceSuspended }), 0},
	} {
		if got := c.facts.Failing(now()); got != c.want {
			t.Errorf("%s: Failing() = %q, want %q", name, got, c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var together liveness.Reasons
	for _, one := range liveness.All.Each() {
		name := one.String()
		if name == "" || seen[name] || strings.Contains(name, ",") {
			t.Errorf("a reason is called %q", name)
		}
		seen[name], together = true, together|one
	}
	if together != liveness.All || liveness.All.Any(0) || !liveness.All.Any(liveness.SourceEnded) {
		t.Errorf("one by one they are %q", together)
	}
	if got := (liveness.Unknown | liveness.KeyExpired).String(); got != "unknown, key expired" {
		t.Errorf("String() = %q", got)
	}
}
