package execution

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Errors of credentials that the store does not confirm.
var (
	errKeyFrom   = fault.New(fault.Auth, "the API key cannot be used from this IP address")
	errWithdrawn = fault.New(fault.Auth, "the token was revoked, or its user, session or app is no longer active")
	errRevoked   = fault.New(fault.Auth, "the token was revoked, or its app was disabled or deleted: request a new token")
)

// caller returns the caller behind a credential of any kind, as the store has it at this
// moment. It is the only place that makes one.
func (e *Engine) caller(ctx context.Context, run *Run, answer outbound.AdmissionAnswer) (access.Caller, error) {
	presented, now := run.presented, e.Clock.Now()
	if presented.client != nil {
		return e.clientCaller(ctx, run, answer.Client)
	}
	if presented.kind == access.Key {
		return e.keyCaller(ctx, run, answer.Key, now)
	}
	if !e.Access.Holds(presented.token) {
		return access.Caller{}, token.ErrInvalid
	}
	if presented.kind == access.Delegated {
		return e.delegatedCaller(ctx, run, answer.Grant, now)
	}
	if presented.kind == access.App {
		return appCaller(presented.token, answer.Token, now)
	}
	return e.personCaller(ctx, run, answer.Identity, now)
}

func (e *Engine) personCaller(ctx context.Context, run *Run, behind *outbound.Identity, now time.Time) (access.Caller, error) {
	impersonated := run.presented.kind == access.Impersonated
	if behind.Failing(now).Any(liveness.SessionHolds) || impersonated != (behind.Session.ActedBy != "") {
		return access.Caller{}, session.ErrEnded
	}
	if run.presented.token.Org != behind.Session.OrgID.String() {
		return access.Caller{}, token.ErrMoved
	}
	org, err := run.visited(behind)
	if err != nil {
		return access.Caller{}, err
	}
	standing, err := e.Books.Standing(ctx, behind.Held, now)
	if err != nil {
		return access.Caller{}, err
	}
	if run.suspends(behind) {
		standing = role.EffectiveRoles{}
	}
	presented := run.presented.token
	caller := access.Caller{
		Kind: access.Person, Halted: run.halted(behind), User: behind.User.ID, Session: behind.Session.ID, Org: org,
		Roles: standing.Roles, Permissions: standing.Permissions, Source: standing, Superadmin: behind.User.Superadmin,
		Profile: behind.User, AuthTime: behind.Session.AuthTime, AMR: behind.Session.AMR, Within: &behind.Session, SecondFactor: behind.SecondFactor,
		ExpiresAt: time.Unix(presented.Expiry, 0).UTC(), Unfinished: presented.Unfinished,
		Unproved: run.State.Policies.Signup.MustVerify(behind.User.EmailVerified),
	}
	if impersonated {
		of := behind.Impersonation
		if by, err := e.Policies.Fallen(ctx, of, now); err != nil || by != "" {
			return access.Caller{}, cmp.Or(err, error(session.ErrEnded))
		}
		caller.Kind, caller.Actor, caller.Impersonation, caller.ReadOnly = access.Impersonated, of.ActorID, of.ID, of.ReadOnly
		caller.AuthTime = time.Time{} // nobody proved presence
	}
	return caller, nil
}

// keyCaller returns the user of an API key with the share of their permissions that
// the key's scopes leave.
func (e *Engine) keyCaller(ctx context.Context, run *Run, key *outbound.KeyIdentity, now time.Time) (access.Caller, error) {
	switch failing := key.Failing(now); {
	case failing.Any(liveness.KeyHolds):
		return access.Caller{}, errKey
	case !access.AllowedFrom(key.AllowedIPs, run.IP):
		return access.Caller{}, errKeyFrom
	case failing.Any(liveness.WorkspaceSuspended):
		return access.Caller{}, workspace.ErrSuspended
	}
	standing, err := e.Books.Standing(ctx, key.Held, now)
	if err != nil {
		return access.Caller{}, err
	}
	return access.Caller{
		Kind: access.Key, User: key.User.ID, APIKey: key.ID, Org: key.Org, Roles: standing.Roles,
		Permissions: access.Share(standing.Permissions, key.User.Superadmin, key.Scopes), Scopes: key.Scopes,
		Profile: key.User, ExpiresAt: key.ExpiresAt,
		Unproved: run.State.Policies.Signup.MustVerify(key.User.EmailVerified),
	}, nil
}

// delegatedCaller returns a client that acts for a person, with the share of their permissions that
// they let it have, and that it may still have itself.
func (e *Engine) delegatedCaller(ctx context.Context, run *Run, behind *outbound.GrantIdentity, now time.Time) (access.Caller, error) {
	presented := run.presented.token
	switch failing := behind.Failing(now); {
	case failing.Any(liveness.GrantHolds) || behind.Client != presented.Client:
		return access.Caller{}, errWithdrawn
	case failing.Any(liveness.WorkspaceSuspended):
		return access.Caller{}, workspace.ErrSuspended
	}
	standing, err := e.Books.Standing(ctx, behind.Held, now)
	if err != nil {
		return access.Caller{}, err
	}
	scopes := behind.Remaining(strings.Fields(presented.Scope))
	affiliation, err := e.Books.Affiliation(ctx, behind, scopes, e.enter(run), now)
	if err != nil {
		return access.Caller{}, err
	}
	return access.Caller{
		ActingApp: &behind.App, Affiliation: affiliation,
		Kind: access.Delegated, User: behind.User.ID, KnownAs: behind.Grant.Subject, App: behind.Grant.AppID, Client: behind.Client, Grant: behind.Grant.ID, Sources: behind.Lineage(),
		Org: behind.Grant.OrgID, Roles: standing.Roles, Permissions: access.Share(standing.Permissions, false, scopes), Source: standing,
		Scopes: scopes, Claims: oauth.ReadClaims(behind.Grant.Claims).UserInfo, Profile: behind.User, AuthTime: behind.Grant.AuthTime, AMR: behind.Grant.AMR,
		ExpiresAt: time.Unix(presented.Expiry, 0).UTC(), Unproved: run.State.Policies.Signup.MustVerify(behind.User.EmailVerified),
	}, nil
}

// clientCaller returns an app that authenticates as a client of OAuth, with all the scopes that it
// has at this moment; by its registration access token it reaches itself alone.
func (e *Engine) clientCaller(ctx context.Context, run *Run, known *outbound.Client) (access.Caller, error) {
	if known == nil {
		known = &outbound.Client{}
	}
	credentials := run.presented.client
	if run.named.Deferred {
		credentials.Count = e.deferred(run)
	}
	found, err := e.Clients.Authenticate(ctx, credentials, known)
	if err != nil {
		return access.Caller{}, err
	}
	of := found.App
	if !credentials.Registration.Empty() {
		return access.Caller{
			Kind: access.App, App: of.ID, Client: of.Slug, Org: of.OrgID, Roles: []string{},
			Permissions: access.Permissions{"apps:read", "apps:write"}, Only: of.ID,
		}, nil
	}
	return access.Caller{
		Kind: access.App, App: of.ID, Client: of.Slug, Org: of.OrgID, Roles: []string{},
		Permissions: access.Share(of.Scopes, false, of.Scopes), Scopes: of.Scopes,
	}, nil
}

// appCaller returns the app of an M2M token with the scopes that both still have.
func appCaller(presented token.VerifiedToken, t *outbound.TokenIdentity, now time.Time) (access.Caller, error) {
	switch failing := t.Failing(now); {
	case failing == liveness.AppSuspended:
		return access.Caller{}, workspace.ErrSuspended
	case failing != 0:
		return access.Caller{}, errRevoked
	}
	scopes := t.Remaining()
	return access.Caller{
		Kind: access.App, App: t.App, Client: t.Slug, Org: t.Org, OrgName: t.OrgName, Roles: []string{},
		Permissions: access.Share(t.Granted, false, scopes), Scopes: scopes,
		ExpiresAt: time.Unix(presented.Expiry, 0).UTC(),
	}, nil
}
