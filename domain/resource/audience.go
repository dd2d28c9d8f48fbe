package resource

import (
	"slices"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// MostAudiences is the maximum number of audiences of a workspace, including those of
// deleted resources, which it keeps.
const MostAudiences = 500

// Reasons for refusing an app tokens for an audience (RFC 8707 section 2). Each names
// the person to contact.
var (
	ErrForeign = fault.New(fault.Validation,
		"invalid_target: the audience belongs to another workspace; ask its administrators to register the app there, or a superadmin to move the audience (OAUTH.RESOURCE_UPDATE)")
	ErrUnregistered = fault.New(fault.Validation,
		"invalid_target: the audience is not registered; register it under a verified domain of your workspace (OAUTH.RESOURCE_CREATE), or ask a superadmin to")
	ErrDeleted = fault.New(fault.Validation,
		"invalid_target: the audience was deleted; ask an administrator of the workspace or a superadmin to register it again (OAUTH.RESOURCE_CREATE)")
	ErrUngranted = fault.New(fault.Validation,
		"invalid_target: a superadmin has not granted the app a scope of this API; ask for one (APP.SCOPE_GRANT)")
	ErrTooMany = fault.New(fault.Validation,
		"invalid_target: audience limit reached (500, including deleted ones); ask a superadmin to register this one (OAUTH.RESOURCE_CREATE)")
)

// Audience is an assigned name. It is shared, so its slices must not be modified.
type Audience struct {
	Name string
	// OrgID is the owner of the name; empty for the instance.
	OrgID workspace.ID
	// Slug is set when the name is, or was, the slug of an app of the workspace.
	Slug bool
	// Epoch counts how often the name changed hands: tokens of an earlier epoch have
	// ended.
	Epoch int64
	// Version counts the changes that tokens for the audience depend on; it is never 0.
	Version int64
	// Origin is that of the resource which is registered under the name; empty for none.
	Origin Origin
	// Scopes, AccessTTL, SigningAlg and SkipConsent are those of the resource.
	Scopes      []string
	AccessTTL   time.Duration
	SigningAlg  signingkey.Algorithm
	SkipConsent bool
}

// Admit checks whether an app may have tokens for the audience; registeredOnly is the
// setting that only superadmins' assignments count (the caller must except those
// registered under a verified domain of the workspace). It fails with ErrForeign,
// ErrUnregistered, ErrDeleted or ErrUngranted.
func (a *Audience) Admit(of app.Snapshot, registeredOnly bool) error {
	switch {
	case a.Foreign(of.OrgID):
		return ErrForeign
	case a.Origin == "" && !a.Slug:
		return ErrDeleted
	case a.OrgID == "" && !slices.ContainsFunc(a.Scopes, func(scope string) bool { return slices.Contains(of.Vouched, scope) }):
		return ErrUngranted
	case registeredOnly && a.Origin != BySuperadmin && !a.Slug:
		return ErrUnregistered
	}
	return nil
}

// Foreign reports whether the audience belongs to another workspace. A nil audience
// belongs to nobody.
func (a *Audience) Foreign(org workspace.ID) bool {
	return a != nil && a.OrgID != "" && a.OrgID != org
}

// Unasked reports whether no consent is needed for an app: a superadmin set this for
// the resource, and somebody vouches for the app.
func (a *Audience) Unasked(of app.Snapshot) bool {
	return a != nil && a.SkipConsent && of.Origin.Vouched()
}

// Remaining returns the scopes that a token of an app for the audience may have
// (contract section 3). A nil audience has no scopes of its own: it is this service, or
// not assigned yet.
func (a *Audience) Remaining(of app.Snapshot, scopes []string) []string {
	left := access.Remaining(scopes, of.Scopes, of.Listed, of.Withdrawn)
	if a == nil {
		return left
	}
	if a.OrgID == "" {
		left = Vouched(left, of.Vouched)
	}
	if len(a.Scopes) == 0 {
		return left
	}
	return slices.DeleteFunc(left, func(scope string) bool { return !access.IsOwn(scope) && !slices.Contains(a.Scopes, scope) })
}

// Vouched returns the scopes of a token for an API of the instance that its app still
// has: permissions of this service, and those granted by a superadmin.
func Vouched(scopes, vouched []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
		return !access.IsOwn(scope) && !slices.Contains(vouched, scope)
	})
}

// Life returns how long a token for the audience lives that its app would let live so
// long.
func (a *Audience) Life(life time.Duration) time.Duration {
	if a == nil || a.AccessTTL == 0 {
		return life
	}
	return min(life, a.AccessTTL)
}

// Free reports whether an API may be registered under the audience for a workspace,
// empty for the instance. With mightier set, for a superadmin or a member of the
// workspace with the verified domain, the audience may also be taken from an owner that
// yields.
func (a *Audience) Free(org workspace.ID, mightier bool) bool {
	return a == nil || a.OrgID == org || mightier && a.Yields()
}
