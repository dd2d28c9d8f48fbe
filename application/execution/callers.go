package execution

import (
	"strings"
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Errors of credentials that the store does not bear out.
var (
	errKeyFrom = fault.New(fault.Auth, "the API key may not be used from this address")
	errRevoked = fault.New(fault.Auth, "the token was revoked, or its app was disabled or deleted")
)

// caller makes the one behind a credential, of any kind, as the store has them at
// this moment. There is no other place that does.
func (e *Engine) caller(run *Run, answer outbound.AdmissionAnswer) (access.Caller, error) {
	presented, now := run.presented, e.Clock.Now()
	if presented.kind == access.Key {
		return keyCaller(run, answer.Key, now)
	}
	if !e.Access.Holds(presented.token) {
		return access.Caller{}, token.ErrInvalid
	}
	if presented.kind == access.App {
		return appCaller(presented.token, answer.Token, now)
	}
	return personCaller(presented.token, answer.Identity, now)
}

func personCaller(presented token.Presented, behind *outbound.Identity, now time.Time) (access.Caller, error) {
	if behind == nil || !behind.Session.Active(now) || !behind.User.Usable(now) {
		return access.Caller{}, session.ErrEnded
	}
	roles := workspace.LiveRoles(behind.Grants, now)
	return access.Caller{
		Kind: access.Person, User: behind.User.ID, Session: behind.Session.ID, Org: behind.Session.OrgID,
		Roles: roles, Permissions: role.Granted(roles), Superadmin: behind.User.Superadmin,
		Profile: behind.User, AuthTime: behind.Session.AuthTime, AMR: behind.Session.AMR,
		ExpiresAt: time.Unix(presented.Expiry, 0).UTC(), Unfinished: presented.Unfinished,
	}, nil
}

// keyCaller is the user of an API key with the share of their permissions that
// the key's scopes leave.
func keyCaller(run *Run, key *outbound.KeyIdentity, now time.Time) (access.Caller, error) {
	switch {
	case key == nil || !key.RevokedAt.IsZero() || (!key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt)):
		return access.Caller{}, errKey
	case !key.Member || !key.User.Usable(now):
		return access.Caller{}, errKey
	case !access.AllowedFrom(key.AllowedIPs, run.IP):
		return access.Caller{}, errKeyFrom
	}
	roles := workspace.LiveRoles(key.Grants, now)
	return access.Caller{
		Kind: access.Key, User: key.User.ID, APIKey: key.ID, Org: key.Org, Roles: roles,
		Permissions: access.Share(role.Granted(roles), key.User.Superadmin, key.Scopes), Scopes: key.Scopes,
		Profile: key.User, ExpiresAt: key.ExpiresAt,
	}, nil
}

// appCaller is the app of an M2M token with the scopes that both still have.
func appCaller(presented token.Presented, t *outbound.TokenIdentity, now time.Time) (access.Caller, error) {
	if !t.Live(now) {
		return access.Caller{}, errRevoked
	}
	scopes := access.Remaining(strings.Fields(t.Scope), t.Granted, t.Listed, t.Withdrawn)
	return access.Caller{
		Kind: access.App, App: t.App, Client: t.Slug, Org: t.Org, Roles: []string{},
		Permissions: access.Share(t.Granted, false, scopes), Scopes: scopes,
		ExpiresAt: time.Unix(presented.Expiry, 0).UTC(),
	}, nil
}
