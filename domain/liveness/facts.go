package liveness

import (
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Session are the facts about a session.
type Session struct {
	Session *session.Snapshot
	Person  user.Availability
	// Impersonation is that of a session in which somebody else acts as the person.
	Impersonation *impersonation.Standing
	// Suspended reports whether the workspace that the session acts in is suspended.
	Suspended bool
}

// Failing returns what is against the session at a moment.
func (s Session) Failing(now time.Time) Reasons {
	impersonated := s.Session.ActedBy != ""
	return SessionEnded.when(!s.Session.EndedAt.IsZero()) |
		SessionExpired.when(!now.Before(s.Session.ExpiresAt)) |
		SessionIdle.when(!now.Before(s.Session.LastUsedAt.Add(s.Session.Idle))) |
		ImpersonationEnded.when(impersonated && (s.Impersonation == nil || s.Impersonation.Fallen(now) != "")) |
		AccountDisabled.when(!s.Person.Usable(now)) |
		WorkspaceSuspended.when(s.Suspended)
}

// Key are the facts about an API key.
type Key struct {
	RevokedAt time.Time
	// ExpiresAt is when the key or its text expires, whichever comes first; zero for never.
	ExpiresAt time.Time
	Person    user.Availability
	// Member reports whether the person belongs to the workspace of the key, and Suspended whether
	// that is suspended.
	Member    bool
	Suspended bool
}

// Failing returns what is against the key at a moment.
func (k Key) Failing(now time.Time) Reasons {
	return KeyRevoked.when(!k.RevokedAt.IsZero()) |
		KeyExpired.when(!k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt)) |
		NotMember.when(!k.Member) |
		AccountDisabled.when(!k.Person.Usable(now)) |
		WorkspaceSuspended.when(k.Suspended)
}

// App are the facts about an app, and so about a client.
type App struct {
	Enabled bool
	// Owner is the person whose personal workspace the app is in; the zero value in a shared one.
	Owner user.Availability
	// Suspended reports whether the workspace of the app is suspended.
	Suspended bool
}

// Failing returns what is against the app at a moment.
func (a App) Failing(now time.Time) Reasons {
	return AppDisabled.when(!a.Enabled) |
		OwnerDisabled.when(!a.Owner.Usable(now)) |
		AppSuspended.when(a.Suspended)
}

// Token are the facts about an M2M token.
type Token struct {
	App

	IssuedAt  time.Time
	ExpiresAt time.Time
	RevokedAt time.Time
	// RevokedBefore is the moment before which all tokens of the app were revoked.
	RevokedBefore time.Time
	// Org is the workspace of the app, Epoch that of the audience when the token was issued, and
	// Audience who has the audience by now; nil if nobody has it.
	Org      workspace.ID
	Epoch    int64
	Audience *Audience
}

// Audience is who has an audience: a workspace, or the instance.
type Audience struct {
	// Org is empty for the instance.
	Org   workspace.ID
	Epoch int64
}

// Failing returns what is against the token at a moment.
func (t Token) Failing(now time.Time) Reasons {
	return t.App.Failing(now) |
		TokenRevoked.when(!t.RevokedAt.IsZero()) |
		TokensRevoked.when(t.IssuedAt.Before(t.RevokedBefore)) |
		TokenExpired.when(!now.Before(t.ExpiresAt)) |
		AudienceMoved.when(t.moved())
}

// moved reports whether the audience went to another workspace, from the instance too. It may
// have come to the instance, and an audience that nobody had may have been claimed.
func (t Token) moved() bool {
	has := t.Audience
	return has != nil && (has.Epoch != t.Epoch || has.Org != "" && has.Org != t.Org)
}

// Grant are the facts about a grant.
type Grant struct {
	App

	Grant  *oauth.GrantSnapshot
	Person user.Availability
	// SessionUntil is when the session of the grant expires; zero if that has ended.
	SessionUntil time.Time
	// Member reports whether the person belongs to the workspace of the grant, and Suspended
	// whether that is suspended.
	Member    bool
	Suspended bool
	// Source are the reasons against the grant whose token was exchanged for this one.
	Source Reasons
}

// Failing returns what is against the grant at a moment. One with offline access does not depend
// on its session.
func (g Grant) Failing(now time.Time) Reasons {
	gone := g.SessionUntil.IsZero()
	return g.App.Failing(now) |
		GrantUnredeemed.when(g.Grant.RedeemedAt.IsZero()) |
		GrantEnded.when(!g.Grant.EndedAt.IsZero()) |
		GrantExpired.when(!now.Before(g.Grant.ExpiresAt)) |
		GrantIdle.when(!now.Before(g.Grant.LastUsedAt.Add(g.Grant.Idle))) |
		SessionEnded.when(!g.Grant.Offline && gone) |
		SessionExpired.when(!g.Grant.Offline && !gone && !now.Before(g.SessionUntil)) |
		AccountDisabled.when(!g.Person.Usable(now)) |
		NotMember.when(!g.Member) |
		WorkspaceSuspended.when(g.Suspended) |
		SourceEnded.when(g.Source.Any(GrantHolds))
}
