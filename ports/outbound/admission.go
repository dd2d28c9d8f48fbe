package outbound

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Admission answers everything a request must ask the store before its command
// runs. Requests that wait together share one round trip; what is answered is
// never older than the question, unless it is Pending.
type Admission interface {
	Admit(ctx context.Context, ask AdmissionAsk) (AdmissionAnswer, error)
}

// Pending is an admission that the store answered from memory: the call is still to be
// counted, by the statement that stores the token it comes to. A client that calls all
// the time costs one round trip.
//
// # Decision: answer from memory, and let the statement that stores confirm it
//
// Context: to admit a call and then to store what it makes are two waits for the
// database, and the first tells a busy client's call nothing that the last one did
// not leave behind.
//
// Choice: a process remembers counters and clients as it read or wrote them last.
// By them it admits a client that wants a token, proves itself, and is within its
// limits. The statement that stores the token names the version of each and the
// revision of the configuration; where the store has others it writes nothing, and
// fails as aggregate.ErrConflict. Who reads the client anew then (machines.Clients)
// is admitted Again in the same round trip. So is a handler that would refuse a client
// which is Recalled: it refuses nobody before it has read the client so.
//
// What would change our mind: replicas that always share their clients. There a
// counter is never one process's alone, and nothing is answered from memory.
type Pending interface {
	// Under returns the context of the call, under which its first token counts it.
	Under(ctx context.Context) context.Context
	// Admit admits the call Again, unless it was counted or admitted so already.
	Admit(ctx context.Context) error
}

// AdmissionAsk is what one request wants to know. The zero ask wants the revision
// alone. At most one credential is asked for.
type AdmissionAsk struct {
	// Session is the session behind the credential, if any.
	Session session.ID
	// Org is the workspace that the session is to act in, where that is not its active one.
	Org workspace.ID
	// Factors asks whether the account of the session has a second factor.
	Factors bool
	// Key is the digest of the API key that was presented, if any (keytext.Digest).
	Key string
	// Token is the jti of the M2M token that was presented, if any.
	Token string
	// Grant is the grant behind a token that a client was given for a person, if any.
	Grant oauth.GrantID
	// Client is the client_id that wants to authenticate, if any, and Wants the token that
	// it asks for, if it does.
	Client string
	Wants  *TokenWish
	// Checks are the limits to pass: all or none of them count this request.
	Checks []LimitCheck
	// Failed are those to pass, and that count, in the place of Checks where the request
	// is not proven: it presents an API key that there is not, or Proven says so.
	Failed []LimitCheck
	// Proven reports whether the answer bears out what the request presents; nil: it
	// does. Other requests wait for it. It may be asked about an earlier answer, too, and
	// what that bore out may be counted as proven once more.
	Proven func(AdmissionAnswer) bool
	// Again asks for the same call once more, and fails where a limit refuses it; where it
	// is nil, the answer is never Pending.
	Again func(context.Context) (AdmissionAnswer, error)
	// Revision is that of the configuration which the checks were taken from. Where
	// the store has a later one, the limits may be others: nothing is counted then,
	// and no verdict answered. Zero counts in any case.
	Revision int64
}

// TokenWish is a token that a client asks for. It is stored by machines.TokenIssues.
type TokenWish struct {
	// Audience is whom it is for; empty for this service.
	Audience string
}

// Target returns the audience of the token that a client asks for, if any.
func (a *AdmissionAsk) Target() string {
	if a.Client == "" || a.Wants == nil {
		return ""
	}
	return a.Wants.Audience
}

// LimitCheck is one limit for one subject.
type LimitCheck struct {
	// Key identifies rule and subject, as a blind index.
	Key  string
	Rule limit.Rule
}

// AdmissionAnswer is the state of the store at the moment of the question.
type AdmissionAnswer struct {
	// Revision counts the changes to settings, limits, policies and keys.
	Revision int64
	// Identity is who stands behind the session; nil when there is no such session.
	Identity *Identity
	// Key is who stands behind the API key; nil when there is none of this digest.
	Key *KeyIdentity
	// Token is the M2M token with its app; nil when either is gone.
	Token *TokenIdentity
	// Grant is what stands behind a token that a client was given for a person; nil when
	// there is no such grant.
	Grant *GrantIdentity
	// Client is the app of the client_id; nil when there is none.
	Client *Client
	// Verdicts stand in the order of the checks that the request counts at: Checks, or
	// Failed where it is not proven.
	Verdicts []limit.Verdict
	// Pending is set where the call is still to be counted.
	Pending Pending
}

// Identity is a session with its account and its roles in the active workspace.
type Identity struct {
	Session session.Snapshot
	// Version is that of the session.
	Version int64
	User    user.Snapshot
	// Held is what the person holds in the active workspace, or in the one that was asked
	// for; of who does not belong to it, nothing.
	Held role.Holding
	// Suspended reports whether that workspace is suspended.
	Suspended bool
	// Visit is how that one is entered; nil where none was asked for, or there is none.
	Visit *Visit
	// SecondFactor reports whether the account has a second factor or a passkey, where
	// that was asked.
	SecondFactor bool
}

// Visit is a workspace that a session is to act in beside its active one.
type Visit struct {
	// Member reports whether the person belongs to it.
	Member bool
	Entry  workspace.Entry
}

// KeyIdentity is an API key with its account and that one's roles in the key's
// workspace.
type KeyIdentity struct {
	ID         apikey.ID
	Org        workspace.ID
	Scopes     []string
	AllowedIPs []netip.Prefix
	// ExpiresAt is when the key ends or, if that is sooner, the text of it that was
	// presented; unset when neither does.
	ExpiresAt time.Time
	RevokedAt time.Time
	User      user.Snapshot
	// Member reports whether the user still belongs to the workspace; Held is what they
	// hold there.
	Member bool
	Held   role.Holding
	// Suspended reports whether the workspace is suspended.
	Suspended bool
}

// GrantIdentity is a grant with its app, its person and what they hold in its workspace.
type GrantIdentity struct {
	Grant oauth.GrantSnapshot
	// Version is that of the grant.
	Version int64
	User    user.Snapshot
	// Client is the client_id; Enabled, Owner and ClientSuspended are what the app may act by.
	Client          string
	Enabled         bool
	Owner           user.Availability
	ClientSuspended bool
	// SessionUntil is until when the session of the grant goes on; zero when it has ended.
	SessionUntil time.Time
	// Held is what the person holds in the workspace of the grant, Member reports whether they
	// still belong to it, Suspended whether it is suspended.
	Held      role.Holding
	Member    bool
	Suspended bool
	// Source is the grant whose token was exchanged for those of this one; nil where it was no
	// exchange, or that grant is gone.
	Source *GrantIdentity
}

// Lineage returns the grants that this one came from by exchanges, the nearest first.
func (g *GrantIdentity) Lineage() []oauth.GrantID {
	var ids []oauth.GrantID
	for source := g.Source; source != nil; source = source.Source {
		ids = append(ids, source.Grant.ID)
	}
	return ids
}

// Live reports whether tokens of the grant hold at a moment: neither it, its app, its person
// nor, unless it is for offline access, its session has ended.
func (g *GrantIdentity) Live(now time.Time) bool {
	return g != nil && g.Grant.Active(now) && g.Usable(now)
}

// Usable reports whether a grant may be redeemed or go on at a moment, as far as others than
// itself tell; one that came of an exchange, as long as its source does.
func (g *GrantIdentity) Usable(now time.Time) bool {
	return g.Enabled && g.Owner.Usable(now) && !g.ClientSuspended && g.User.Usable(now) && g.Member &&
		(g.Grant.Offline || now.Before(g.SessionUntil)) && (g.Grant.Source == "" || g.Source.Live(now))
}

// TokenIdentity is an M2M token with its app.
type TokenIdentity struct {
	Scope     string
	JKT       string
	IssuedAt  time.Time
	ExpiresAt time.Time
	// RevokedAt is when the token was revoked, by itself.
	RevokedAt time.Time
	App       app.ID
	Org       workspace.ID
	OrgName   string
	Slug      string
	Name      string
	Enabled   bool
	// Owner is the availability of whose personal workspace the app is in; zero in a
	// shared one.
	Owner user.Availability
	// Suspended reports whether the app's workspace is suspended.
	Suspended bool
	// Granted are the app's scopes of this moment. Where Listed is false, scopes that
	// are no permissions of this service need no grant, until they are Withdrawn.
	Granted   []string
	Listed    bool
	Withdrawn []string
	// OfInstance is set when the audience is an API of the instance, for which scopes that
	// are no permissions of this service must be among the Vouched, which a superadmin
	// granted.
	OfInstance bool
	Vouched    []string
	// Moved is set when the audience went to another workspace since the token was issued.
	Moved bool
	// RevokedBefore ends all tokens of the app that were issued before it.
	RevokedBefore time.Time
}

// Live reports whether the token holds: it and its app are there, neither was revoked,
// disabled, with the owner of a personal workspace, suspended with its workspace, or has
// expired, and the audience is still for the app.
func (t *TokenIdentity) Live(now time.Time) bool { return t.holds(now) && !t.Suspended }

// Dormant reports whether the token will hold once the suspension of its workspace is lifted.
func (t *TokenIdentity) Dormant(now time.Time) bool { return t.holds(now) && t.Suspended }

// Remaining returns the scopes of the token that its app still has.
func (t *TokenIdentity) Remaining() []string {
	left := access.Remaining(strings.Fields(t.Scope), t.Granted, t.Listed, t.Withdrawn)
	if t.OfInstance {
		return resource.Vouched(left, t.Vouched)
	}
	return left
}

func (t *TokenIdentity) holds(now time.Time) bool {
	return t != nil && t.Enabled && !t.Moved && t.Owner.Usable(now) && t.RevokedAt.IsZero() &&
		now.Before(t.ExpiresAt) && !t.IssuedAt.Before(t.RevokedBefore)
}

// Client is an app as it was read at a version. Callers share it, so nobody
// changes what its slices hold.
type Client struct {
	App     app.Snapshot
	Version int64
	// Owner is the availability of whose personal workspace the app is in; zero in a
	// shared one.
	Owner user.Availability
	// Suspended reports whether the app's workspace is suspended.
	Suspended bool
	// Audience is who has the audience that was asked for; nil for nobody, and where none
	// was asked for.
	Audience *resource.Audience
	// Recalled reports whether it is as the store remembers it (Pending).
	Recalled bool
}
