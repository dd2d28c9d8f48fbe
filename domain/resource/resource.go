package resource

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// Errors of resources.
var (
	ErrNotFound   = fault.New(fault.NotFound, "no such API")
	ErrRegistered = fault.Unfit("/identifier", "is already registered: change it with OAUTH.RESOURCE_UPDATE")
	ErrTaken      = fault.Unfit("/identifier",
		"belongs to another workspace (audience, app slug or verified domain): ask its administrators or a superadmin")
	ErrSlug        = fault.Unfit("/new_org_id", "cannot receive an audience that is or was an app slug of another workspace")
	ErrSkipConsent = fault.New(fault.Denied, "only superadmins can set skip_consent")
)

// Snapshot is the stored state of a resource.
type Snapshot struct {
	ID ID `audit:"id"`
	// OrgID is the workspace it belongs to; empty is the instance: it is for every app
	// that a superadmin granted one of its scopes.
	OrgID      workspace.ID
	Identifier string `audit:"identifier"`
	Name       string `audit:"name"`
	// Scopes are the scopes of the API; without any, all scopes may be requested.
	Scopes []Scope `audit:"scopes"`
	// AccessTTL is the maximum lifetime of tokens; 0 for the app's.
	AccessTTL time.Duration `audit:"access_token_seconds"`
	// SigningAlg is the signing algorithm of tokens; empty for any.
	SigningAlg signingkey.Algorithm `audit:"signing_alg"`
	// SkipConsent spares people the question whether an app may act there for them.
	SkipConsent bool   `audit:"skip_consent"`
	Origin      Origin `audit:"origin"`
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Resource is an API that tokens are for.
type Resource struct {
	aggregate.Root
	s Snapshot
}

// Draft is an API as it is registered.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	Identifier  string
	Name        string
	Scopes      []Scope
	AccessTTL   time.Duration
	SigningAlg  signingkey.Algorithm
	SkipConsent bool
	Origin      Origin
}

// Register makes a resource. It fails with a validation fault.
func Register(d Draft, now time.Time) (*Resource, error) {
	r := &Resource{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, Identifier: d.Identifier, Name: d.Name, Scopes: d.Scopes, AccessTTL: d.AccessTTL,
		SigningAlg: d.SigningAlg, SkipConsent: d.SkipConsent, Origin: d.Origin, CreatedAt: now, UpdatedAt: now,
	}}
	if err := r.s.check(); err != nil {
		return nil, err
	}
	r.Track(&r.s)
	r.Raise(Created{ResourceID: d.ID, OrgID: d.OrgID, Identifier: d.Identifier, Origin: d.Origin})
	return r, nil
}

// Claim creates the unconfirmed resource of a workspace whose app was the first to
// request an audience.
func Claim(id ID, org workspace.ID, identifier string, now time.Time) *Resource {
	r := &Resource{s: Snapshot{
		ID: id, OrgID: org, Identifier: identifier, Name: identifier, Origin: FirstUse, CreatedAt: now, UpdatedAt: now,
	}}
	r.Track(&r.s)
	r.Raise(Created{ResourceID: id, OrgID: org, Identifier: identifier, Origin: FirstUse})
	return r
}

// Restore returns the resource that was stored.
func Restore(s Snapshot, version int64) *Resource {
	r := &Resource{Root: aggregate.At(version), s: s}
	r.Track(&r.s)
	return r
}

// Snapshot returns the state to store.
func (r *Resource) Snapshot() Snapshot { return r.s }

// Confirm registers an API under an audience that was claimed by first use, perhaps
// for another workspace. The resource keeps its identifier. It fails with a validation
// fault, and with ErrRegistered where the audience was registered before.
func (r *Resource) Confirm(d Draft, now time.Time) error {
	if r.s.Origin != FirstUse {
		return ErrRegistered
	}
	next := r.s
	next.OrgID, next.Name, next.Scopes, next.AccessTTL = d.OrgID, d.Name, d.Scopes, d.AccessTTL
	next.SigningAlg, next.SkipConsent, next.Origin, next.UpdatedAt = d.SigningAlg, d.SkipConsent, d.Origin, now
	if err := next.check(); err != nil {
		return err
	}
	r.s = next
	r.Track(&r.s)
	r.Raise(Created{ResourceID: r.s.ID, OrgID: r.s.OrgID, Identifier: r.s.Identifier, Origin: r.s.Origin})
	return nil
}

// Change is a partial update of a resource; nil fields stay unchanged.
type Change struct {
	Name        *string
	Scopes      []Scope
	AccessTTL   *time.Duration
	SigningAlg  *signingkey.Algorithm
	SkipConsent *bool
	// Org is the workspace that a superadmin assigns it to, possibly the same.
	Org *workspace.ID
}

// Update changes fields of the resource, which confirms one that was claimed by first
// use. It fails with a validation fault. What stays the same raises nothing.
func (r *Resource) Update(c Change, now time.Time) error {
	next := r.s
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &next.Name, c.Name)
	if c.Scopes != nil && !slices.Equal(next.Scopes, c.Scopes) {
		next.Scopes = slices.Clone(c.Scopes)
		changed.Note("scopes", true)
	}
	aggregate.Put(&changed, "access_ttl_seconds", &next.AccessTTL, c.AccessTTL)
	aggregate.Put(&changed, "signing_alg", &next.SigningAlg, c.SigningAlg)
	aggregate.Put(&changed, "skip_consent", &next.SkipConsent, c.SkipConsent)
	aggregate.Put(&changed, "org_id", &next.OrgID, c.Org)
	changed.Note("origin", next.confirm(c.Org != nil))
	if err := next.check(); err != nil {
		return err
	}
	if len(changed) == 0 {
		return nil
	}
	r.become(next, changed, now)
	return nil
}

// TakeOver assigns a resource claimed by first use to the workspace with the verified
// domain, with events for both workspaces.
func (r *Resource) TakeOver(org workspace.ID, now time.Time) {
	next := r.s
	next.OrgID = org
	r.become(next, []string{"org_id"}, now)
}

// become replaces the state, with events for the new and previous workspace.
func (r *Resource) become(next Snapshot, changed []string, now time.Time) {
	before := r.s.OrgID
	next.UpdatedAt = now
	r.s = next
	updated := Updated{ResourceID: r.s.ID, OrgID: r.s.OrgID, PreviousOrgID: before, Identifier: r.s.Identifier, Changed: changed, filed: r.s.OrgID}
	r.Raise(updated)
	if before != r.s.OrgID {
		updated.filed = before
		r.Raise(updated)
	}
}

// confirm sets the origin of the claim, and reports whether it changed.
func (s *Snapshot) confirm(bySuperadmin bool) bool {
	before := s.Origin
	switch {
	case bySuperadmin:
		s.Origin = BySuperadmin
	case before == FirstUse:
		s.Origin = ByWorkspace
	}
	return s.Origin != before
}

// Delete ends the resource. It is for the store to remove it; its identifier stays with
// the workspace.
func (r *Resource) Delete() {
	r.Raise(Deleted{ResourceID: r.s.ID, OrgID: r.s.OrgID, Identifier: r.s.Identifier})
}

// check fails for values out of range.
func (s Snapshot) check() error {
	complaints := scopeFaults(s.Scopes)
	if s.OrgID == "" && len(s.Scopes) == 0 {
		complaints = append(complaints, fault.Field{
			Path: "/scopes", Message: "must not be empty: instance-level APIs are only for apps granted one of their scopes",
		})
	}
	if s.AccessTTL != 0 && (s.AccessTTL < app.MinTokenLife || s.AccessTTL > app.MaxTokenLife) {
		complaints = append(complaints, fault.Field{Path: "/access_ttl_seconds", Message: "must be from 60 to 86,400, or 0 to use the app's setting"})
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	return nil
}
