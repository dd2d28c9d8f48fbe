package outbound

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Admission answers everything that must be read from the store before a command runs.
// Concurrent requests share a round trip. Answers are never older than the question,
// unless they are Pending.
type Admission interface {
	Admit(ctx context.Context, ask AdmissionAsk) (AdmissionAnswer, error)
}

// Pending is an admission from memory: the call is counted later, by the statement that
// stores its token. A client that calls continuously needs one round trip per call.
//
// # Decision: admit from memory, confirm in the statement that stores
//
// Context: admitting a call and storing its result are two round trips, and for a busy
// client the first returns only what the previous call left behind.
//
// Choice: a process caches counters and clients as last read or written. It uses them
// to admit a client that requests a token, authenticates, and is within its limits. The
// statement that stores the token contains the version of each and the revision of the
// configuration; if the store has others, it writes nothing and fails as
// aggregate.ErrConflict. A call that reads the client again after that
// (machines.Clients) is admitted Again in the same round trip. A handler that would
// refuse a client that is Recalled must read it again first.
//
// What would change our mind: replicas that always share their clients. There a counter
// is never one process's alone, and nothing is answered from memory.
type Pending interface {
	// Under returns the context of the call, in which storing the first token counts
	// the call.
	Under(ctx context.Context) context.Context
	// Admit admits the call Again, unless it was already counted or admitted again.
	Admit(ctx context.Context) error
}

// AdmissionAsk is what a request needs to know. The zero value asks for the revision
// only. At most one credential is set.
type AdmissionAsk struct {
	// Session is the session of the credential, if any.
	Session session.ID
	// Org is the workspace to act in, if it is not the active one of the session.
	Org workspace.ID
	// Factors asks whether the account has a second factor.
	Factors bool
	// Key is the digest of the API key, if any (keytext.Digest).
	Key string
	// Token is the jti of the M2M token, if any.
	Token string
	// Grant is the grant of an access token that acts for a person, if any.
	Grant oauth.GrantID
	// Client is the client_id to authenticate, if any, and Wants the token that it
	// requests, if any.
	Client string
	Wants  *TokenRequest
	// Checks are the limits to check; all or none of them count the request.
	Checks []LimitCheck
	// Failed are the limits to check and count instead of Checks if the request is not
	// proven: if its API key is unknown, or Proven returns false.
	Failed []LimitCheck
	// Proven reports whether the answer confirms the credential of the request; nil
	// means that it does. Other requests wait for it. It may also be called for an
	// earlier answer, whose confirmation may then be reused.
	Proven func(AdmissionAnswer) bool
	// Again repeats the call, and fails if a limit is exceeded. If it is nil, the
	// answer is never Pending.
	Again func(context.Context) (AdmissionAnswer, error)
	// Revision is the revision of the configuration that the checks derive from. If the
	// store has a later one, nothing is counted and there are no verdicts, because the
	// limits may have changed. Zero counts in any case.
	Revision int64
}

// TokenRequest is a token requested by a client. It is stored by machines.TokenIssues.
type TokenRequest struct {
	// Audience is the audience of the token; empty for this service.
	Audience string
}

// Target returns the audience of the requested token, if any.
func (a *AdmissionAsk) Target() string {
	if a.Client == "" || a.Wants == nil {
		return ""
	}
	return a.Wants.Audience
}

// LimitCheck is a limit for a subject.
type LimitCheck struct {
	// Key identifies rule and subject, as a blind index.
	Key  string
	Rule limit.Rule
}

// AdmissionAnswer is the state of the store when asked.
type AdmissionAnswer struct {
	// Revision counts the changes to settings, limits, policies and keys.
	Revision int64
	// Identity is the session with its account; nil if it does not exist.
	Identity *Identity
	// Key is the API key with its account; nil if it does not exist.
	Key *KeyIdentity
	// Token is the M2M token with its app; nil if either does not exist.
	Token *TokenIdentity
	// Grant is the grant with its app and person; nil if it does not exist.
	Grant *GrantIdentity
	// Client is the app of the client_id; nil if it does not exist.
	Client *Client
	// Verdicts are in the order of the checks that counted the request: Checks, or
	// Failed if it is not proven.
	Verdicts []limit.Verdict
	// Pending is set if the call has not been counted yet.
	Pending Pending
}

// Identity is a session with its account, and its roles in the active workspace.
type Identity struct {
	Session session.Snapshot
	// Version is that of the session.
	Version int64
	User    user.Snapshot
	// Held are the person's roles in the active workspace, or in the requested one;
	// empty if they are not a member.
	Held role.MemberGrants
	// Suspended reports whether that workspace is suspended, and Rules identify its sign-in
	// rules.
	Suspended bool
	Rules     workspace.RulesMark
	// Visit is the requested workspace; nil if none was requested, or it does not
	// exist.
	Visit *Visit
	// SecondFactor reports whether the account has a second factor or a passkey, if
	// requested.
	SecondFactor bool
	// Impersonation is the impersonation of a session in which somebody else acts as the person;
	// nil for a login.
	Impersonation *impersonation.Standing
}

// Failing returns what is against the session at a moment.
func (i *Identity) Failing(now time.Time) liveness.Reasons {
	if i == nil {
		return liveness.Unknown
	}
	return liveness.Session{
		Session: &i.Session, Person: i.User.Availability(), Impersonation: i.Impersonation, Suspended: i.Suspended,
	}.Failing(now)
}

// Visit is a workspace that a session requests to act in, instead of its active one.
type Visit struct {
	// Member reports whether the person is a member.
	Member bool
}

// KeyIdentity is an API key with its account, and the account's roles in the key's
// workspace.
type KeyIdentity struct {
	ID         apikey.ID
	Org        workspace.ID
	Scopes     []string
	AllowedIPs []netip.Prefix
	// ExpiresAt is the earlier expiry of the key and of the presented secret; zero if
	// neither expires.
	ExpiresAt time.Time
	RevokedAt time.Time
	User      user.Snapshot
	// Member reports whether the user is still a member of the workspace, and Held are
	// their roles there.
	Member bool
	Held   role.MemberGrants
	// Suspended reports whether the workspace is suspended.
	Suspended bool
}

// Failing returns what is against the key at a moment.
func (k *KeyIdentity) Failing(now time.Time) liveness.Reasons {
	if k == nil {
		return liveness.Unknown
	}
	return liveness.Key{
		RevokedAt: k.RevokedAt, ExpiresAt: k.ExpiresAt, Person: k.User.Availability(), Member: k.Member, Suspended: k.Suspended,
	}.Failing(now)
}

// GrantIdentity is a grant with its app, its person, and the person's roles in its
// workspace.
type GrantIdentity struct {
	Grant oauth.GrantSnapshot
	// Version is that of the grant.
	Version int64
	User    user.Snapshot
	// Client is the client_id; Enabled, Owner and ClientSuspended determine whether the
	// app may act.
	Client          string
	Enabled         bool
	Owner           user.Availability
	ClientSuspended bool
	// Scopes are those of the app.
	Scopes AppScopes
	// SessionUntil is the expiry of the grant's session; zero if the session has ended.
	SessionUntil time.Time
	// Held are the person's roles in the workspace of the grant. Member reports whether
	// they are still a member, and Suspended whether the workspace is suspended.
	Held      role.MemberGrants
	Member    bool
	Suspended bool
	// Rules identify the sign-in rules of that workspace.
	Rules workspace.RulesMark
	// Slug is that of the grant's workspace.
	Slug workspace.Slug
	// App is the app, as far as claims of its tokens depend on it: its identity and owner,
	// rules and custom claims.
	App app.Snapshot
	// OwnerHeld are the person's roles in the workspace that owns the app; OwnerMember
	// reports whether they are a member there, and OwnerRules identify its sign-in rules.
	OwnerHeld   role.MemberGrants
	OwnerMember bool
	OwnerRules  workspace.RulesMark
	// Source is the grant whose token was exchanged for this one; nil if there was no
	// exchange, or that grant no longer exists.
	Source *GrantIdentity
}

// MeetsOwner reports whether the grant meets the sign-in rules of the workspace that owns the
// app, as a session must that visits it. If the grant is for that workspace, tightened rules hold
// from its next refresh, as they do for a session that is active there.
func (g *GrantIdentity) MeetsOwner() bool {
	return g.Grant.OrgID == g.App.OrgID || g.OwnerRules.MetAt(g.Grant.OwnerMet, g.Grant.CreatedAt)
}

// Lineage returns the grants from which this one derives by token exchange, nearest
// first.
func (g *GrantIdentity) Lineage() []oauth.GrantID {
	var ids []oauth.GrantID
	for source := g.Source; source != nil; source = source.Source {
		ids = append(ids, source.Grant.ID)
	}
	return ids
}

// Failing returns what is against the grant at a moment, and so against its tokens. One that
// derives from an exchange depends on its source.
func (g *GrantIdentity) Failing(now time.Time) liveness.Reasons {
	if g == nil {
		return liveness.Unknown
	}
	facts := liveness.Grant{
		App:   liveness.App{Enabled: g.Enabled, Owner: g.Owner, Suspended: g.ClientSuspended},
		Grant: &g.Grant, Person: g.User.Availability(), SessionUntil: g.SessionUntil, Member: g.Member, Suspended: g.Suspended,
	}
	if g.Grant.Source != "" {
		facts.Source = g.Source.Failing(now)
	}
	return facts.Failing(now)
}

// Remaining returns those of the scopes of a token of the grant that its app may still
// have, and every app whose token was exchanged for it.
func (g *GrantIdentity) Remaining(scopes []string) []string {
	for of := g; of != nil; of = of.Source {
		left := of.Scopes.Remaining(scopes)
		scopes = slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
			return !oauth.IsClaimScope(scope) && !slices.Contains(left, scope)
		})
	}
	return scopes
}

// AppScopes are the current scopes of an app.
type AppScopes struct {
	Granted []string
	// Listed reports whether the app has no scopes beyond those granted. Otherwise scopes
	// that are no permissions of this service need no grant, until they are Withdrawn.
	Listed    bool
	Withdrawn []string
	// Vouched are those of Granted that a superadmin granted.
	Vouched []string
}

// Remaining returns those of some scopes that the app still has.
func (a *AppScopes) Remaining(scopes []string) []string {
	return access.Remaining(scopes, a.Granted, a.Listed, a.Withdrawn)
}

// TokenIdentity is an M2M token with its app.
type TokenIdentity struct {
	Scope     string
	JKT       string
	IssuedAt  time.Time
	ExpiresAt time.Time
	// RevokedAt is when the token itself was revoked.
	RevokedAt time.Time
	App       app.ID
	Org       workspace.ID
	OrgName   string
	Slug      string
	Name      string
	Enabled   bool
	// Owner is the availability of the owner of the app's personal workspace; zero in a
	// shared one.
	Owner user.Availability
	// Suspended reports whether the app's workspace is suspended.
	Suspended bool

	AppScopes

	// Audience is who has the audience, nil if nobody has it, and Epoch that of the audience when
	// the token was issued.
	Audience *liveness.Audience
	Epoch    int64
	// RevokedBefore invalidates all tokens of the app issued before it.
	RevokedBefore time.Time
}

// Failing returns what is against the token at a moment.
func (t *TokenIdentity) Failing(now time.Time) liveness.Reasons {
	if t == nil {
		return liveness.Unknown
	}
	return liveness.Token{
		App:      liveness.App{Enabled: t.Enabled, Owner: t.Owner, Suspended: t.Suspended},
		IssuedAt: t.IssuedAt, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, RevokedBefore: t.RevokedBefore,
		Org: t.Org, Epoch: t.Epoch, Audience: t.Audience,
	}.Failing(now)
}

// Remaining returns the scopes of the token that its app still has. For an API of the instance,
// scopes that are no permissions of this service must be Vouched, that is granted by a superadmin.
func (t *TokenIdentity) Remaining() []string {
	left := t.AppScopes.Remaining(strings.Fields(t.Scope))
	if t.Audience != nil && t.Audience.Org == "" {
		return resource.Vouched(left, t.Vouched)
	}
	return left
}

// Client is an app as read at a version. It is shared, so its slices must not be
// modified.
type Client struct {
	App     app.Snapshot
	Version int64
	// Owner is the availability of the owner of the app's personal workspace; zero in a
	// shared one.
	Owner user.Availability
	// Suspended reports whether the app's workspace is suspended, and Rules identify its
	// sign-in rules.
	Suspended bool
	Rules     workspace.RulesMark
	// Audience is the owner of the requested audience; nil if there is none, or none
	// was requested.
	Audience *resource.Audience
	// Recalled reports whether the client was read from memory (Pending).
	Recalled bool
}

// Failing returns what is against the client at a moment.
func (c *Client) Failing(now time.Time) liveness.Reasons {
	if c == nil {
		return liveness.Unknown
	}
	return liveness.App{Enabled: c.App.Enabled, Owner: c.Owner, Suspended: c.Suspended}.Failing(now)
}
