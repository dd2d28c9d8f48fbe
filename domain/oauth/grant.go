package oauth

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// CodeLife is how long an authorization code may be redeemed.
const CodeLife = time.Minute

// Errors of grants, in the words of RFC 6749 section 5.2.
var (
	ErrCode    = fault.New(fault.Validation, "invalid_grant: the authorization code is invalid, expired or already used")
	ErrRefresh = fault.New(fault.Validation, "invalid_grant: the refresh token is no longer valid; request authorization again")
	// ErrGrantNotFound is returned if the grant does not exist.
	ErrGrantNotFound = fault.New(fault.NotFound, "no such grant")
)

type grantKind struct{}

func (grantKind) Prefix() string { return "grt" }

// GrantID identifies a grant.
type GrantID = id.ID[grantKind]

// NewGrantID mints an identifier.
func NewGrantID(m id.Minter) GrantID { return id.New[grantKind](m) }

// ParseGrantID reads an identifier; it fails with id.ErrMalformed.
func ParseGrantID(text string) (GrantID, error) { return id.Parse[grantKind](text) }

// Digest is the SHA-256 of a code or token in hexadecimal, the only form in which it is kept.
type Digest string

// Reasons why a grant ended.
const (
	ByCodeReuse    = "code_reuse"
	ByRefreshReuse = "refresh_reuse"
	ByClient       = "revoked_by_client"
	ByConsent      = "consent_revoked"
	ByExpiredCode  = "code_expired"
)

// Authorization is what a person grants a client, and how they were authenticated.
type Authorization struct {
	AppID     app.ID
	UserID    user.ID
	OrgID     workspace.ID
	SessionID session.ID
	// Subject is the subject identifier for the client: that of the person, unless the
	// client's subjects are pairwise.
	Subject string
	Scopes  []string
	// Resources are the audiences of its access tokens (RFC 8707); none is this service.
	Resources []string
	// Offline grants outlive the session.
	Offline  bool
	AuthTime time.Time
	AMR      []string
	ACR      string
	Nonce    string
	// Claims is the `claims` parameter, as JSON, or empty (OpenID Connect Core section 5.5).
	Claims string
	// JKT is the thumbprint of the key that code and tokens are bound to, if they are
	// (RFC 9449 section 10).
	JKT string
	// Met is the revision of the instance at which the sign-in rules of the workspace were
	// met; 0 for never, workspace.Unrecorded if an older release did not record it.
	Met int64
	// OwnerMet is the same for the workspace that owns the app, if that is another one, or
	// workspace.KeptOut.
	OwnerMet int64
}

// TellsPlace reports whether an app with this authorization learns of the person's place in a
// workspace: by the scopes, or by custom claims, which know members of its workspace.
func (a Authorization) TellsPlace(by app.Snapshot) bool {
	return len(by.Claims) > 0 || ReadClaims(a.Claims).TellPlace(a.Scopes)
}

// Code is an authorization code and what it is bound to.
type Code struct {
	Digest Digest
	// RedirectURI is as the request had it; empty where the request had none.
	RedirectURI string
	// Challenge is that of PKCE by S256, if the request had one (RFC 7636).
	Challenge string
	ExpiresAt time.Time
}

// Lifetimes are the maximum lifetimes of a grant.
type Lifetimes struct {
	// Idle is how long it lasts without a refresh, Absolute from its beginning.
	Idle, Absolute time.Duration
}

// GrantSnapshot is the stored state of a grant.
type GrantSnapshot struct {
	ID GrantID
	Authorization

	CreatedAt  time.Time
	Code       Code
	RedeemedAt time.Time
	// Refresh is the token that is good now, Previous the one it replaced; both are empty
	// where there are none.
	Refresh, Previous Digest
	RotatedAt         time.Time
	LastUsedAt        time.Time
	Idle              time.Duration
	ExpiresAt         time.Time
	EndedAt           time.Time
	EndReason         string
	// Source is the grant whose token was exchanged for this one's, if any. This grant
	// is valid only while the source is.
	Source GrantID
}

// Active reports whether tokens of the grant are valid at a time, judging by the grant
// itself.
func (s GrantSnapshot) Active(now time.Time) bool {
	return s.EndedAt.IsZero() && !s.RedeemedAt.IsZero() && now.Before(s.ExpiresAt) && now.Before(s.LastUsedAt.Add(s.Idle))
}

// keptFor is how long an ended grant is kept, so that its codes and tokens are
// distinguished from invented ones.
const keptFor = 7 * 24 * time.Hour

// PurgeAt returns when the grant can be deleted.
func (s GrantSnapshot) PurgeAt() time.Time {
	if s.EndedAt.IsZero() {
		return s.ExpiresAt.Add(keptFor)
	}
	return s.EndedAt.Add(keptFor)
}

// Has reports whether a scope was granted.
func (s GrantSnapshot) Has(scope string) bool { return slices.Contains(s.Scopes, scope) }

// Grant is one authorization of one client by one person.
type Grant struct {
	aggregate.Root
	s GrantSnapshot
}

// Issue makes a grant that waits for its code to be redeemed.
func Issue(id GrantID, to Authorization, code Code, now time.Time) *Grant {
	code.ExpiresAt = now.Add(CodeLife)
	g := &Grant{s: GrantSnapshot{ID: id, Authorization: to, CreatedAt: now, Code: code, ExpiresAt: code.ExpiresAt}}
	g.Raise(CodeIssued{GrantID: id, AppID: to.AppID, UserID: to.UserID, OrgID: to.OrgID, Scopes: to.Scopes})
	return g
}

// IssueToDevice makes a grant that waits for a device to redeem it, by the device code of a
// digest and until that expires (RFC 8628 section 3.4).
func IssueToDevice(id GrantID, to Authorization, code Digest, until, now time.Time) *Grant {
	return &Grant{s: GrantSnapshot{ID: id, Authorization: to, CreatedAt: now, Code: Code{Digest: code, ExpiresAt: until}, ExpiresAt: until}}
}

// Exchange makes a grant for a token that another grant's was exchanged for; it ends with that
// token, and nothing refreshes it (RFC 8693).
func Exchange(id, source GrantID, to Authorization, until, now time.Time) *Grant {
	g := &Grant{s: GrantSnapshot{
		ID: id, Authorization: to, CreatedAt: now, RedeemedAt: now, RotatedAt: now, LastUsedAt: now, Idle: until.Sub(now), ExpiresAt: until, Source: source,
	}}
	g.Raise(g.issued(GrantByExchange))
	return g
}

// RestoreGrant returns the grant that was stored.
func RestoreGrant(s GrantSnapshot, version int64) *Grant {
	return &Grant{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (g *Grant) Snapshot() GrantSnapshot { return g.s }

// ID returns the grant's identifier.
func (g *Grant) ID() GrantID { return g.s.ID }

// Ended reports whether the grant was ended before its time.
func (g *Grant) Ended() bool { return !g.s.EndedAt.IsZero() }

// Redeem redeems the code, once; refresh is the first refresh token, or empty for none,
// and jkt the key that tokens of this grant are bound to, unless it is bound already.
// It fails with ErrCode. The second use of a code ends the grant (RFC 6749 section
// 4.1.2).
func (g *Grant) Redeem(lives Lifetimes, refresh Digest, jkt string, now time.Time) error {
	return g.redeem(GrantByCode, lives, refresh, jkt, now)
}

// RedeemDevice is Redeem for a device code.
func (g *Grant) RedeemDevice(lives Lifetimes, refresh Digest, jkt string, now time.Time) error {
	return g.redeem(GrantByDevice, lives, refresh, jkt, now)
}

func (g *Grant) redeem(by string, lives Lifetimes, refresh Digest, jkt string, now time.Time) error {
	switch {
	case g.Ended():
		return ErrCode
	case !g.s.RedeemedAt.IsZero():
		g.End(ByCodeReuse, now)
		return ErrCode
	case !now.Before(g.s.Code.ExpiresAt):
		return ErrCode
	}
	if g.s.JKT == "" {
		g.s.JKT = jkt
	}
	g.s.RedeemedAt, g.s.LastUsedAt, g.s.RotatedAt = now, now, now
	g.s.Refresh, g.s.Idle, g.s.ExpiresAt = refresh, lives.Idle, now.Add(lives.Absolute)
	g.Raise(g.issued(by))
	return nil
}

func (g *Grant) issued(by string) TokenIssued {
	return TokenIssued{GrantID: g.s.ID, AppID: g.s.AppID, UserID: g.s.UserID, OrgID: g.s.OrgID, Scopes: g.s.Scopes, By: by, SourceID: g.s.Source}
}

// Rotate replaces the refresh token by its successor. The token just replaced may come again
// within the retry window as long as its successor was not used: its answer was lost. Any
// other old token has leaked, so the grant ends (RFC 9700 section 4.14.2). It fails with
// ErrRefresh.
func (g *Grant) Rotate(presented, successor Digest, retry time.Duration, now time.Time) error {
	switch {
	case !g.s.Active(now) || g.s.Refresh == "":
		return ErrRefresh
	case presented == g.s.Refresh:
		g.s.Previous, g.s.Refresh, g.s.RotatedAt, g.s.LastUsedAt = presented, successor, now, now
		g.Raise(g.issued(GrantByRefresh))
		return nil
	case retry > 0 && presented == g.s.Previous && successor == g.s.Refresh && now.Sub(g.s.RotatedAt) <= retry:
		return nil
	}
	g.Raise(session.ReuseDetected{SessionID: g.s.SessionID, UserID: g.s.UserID, OrgID: g.s.OrgID})
	g.End(ByRefreshReuse, now)
	return ErrRefresh
}

// Reuse uses the refresh token, which stays as it is: it is of use only to a client that
// authenticates and proves to hold its key, and FAPI 2.0 Security Profile section 5.3.2.1 forbids
// to rotate it. It fails with ErrRefresh.
func (g *Grant) Reuse(presented Digest, now time.Time) error {
	if !g.s.Active(now) || g.s.Refresh == "" || presented != g.s.Refresh {
		return ErrRefresh
	}
	g.s.LastUsedAt = now
	g.Raise(g.issued(GrantByRefresh))
	return nil
}

// Meets reports whether the grant meets the sign-in rules of its workspace.
func (s GrantSnapshot) Meets(rules workspace.RulesMark) bool { return rules.MetAt(s.Met, s.CreatedAt) }

// Meet records at which revisions of the instance the grant met the sign-in rules of its workspace, and of
// the one that owns the app. It is stored with the next use of the refresh token.
func (g *Grant) Meet(revision, owner int64) { g.s.Met, g.s.OwnerMet = revision, owner }

// End ends the grant with all its tokens; one that has ended stays as it is.
func (g *Grant) End(reason string, now time.Time) {
	if g.Ended() {
		return
	}
	g.s.EndedAt, g.s.EndReason = now, reason
	g.Raise(RevokedData{GrantID: g.s.ID, AppID: g.s.AppID, UserID: g.s.UserID, OrgID: g.s.OrgID, Reason: reason})
}
