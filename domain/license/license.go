package license

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of licenses.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such license")
	ErrRevoked   = fault.New(fault.Validation, "the license was permanently revoked: issue a new one")
	ErrSuspended = fault.New(fault.Validation, "the license is already suspended")
	ErrActive    = fault.New(fault.Validation, "the license is not suspended")
	ErrTwoOwners = fault.Unfit("/owner_org_id", "must be omitted if user_id is given")
	ErrPast      = fault.Unfit("/expires_at", "must be in the future")
)

type idKind struct{}

func (idKind) Prefix() string { return "lic" }

// ID identifies a license.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Status is the stored state of a license; that it expired is judged.
type Status string

// The states.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Expired   Status = "expired"
	Revoked   Status = "revoked"
)

// expiresAt is the name of the term that overrides the duration.
const expiresAt = "expires_at"

// Owner is the owner of a license: a person, a workspace, or nobody.
type Owner struct {
	UserID user.ID
	OrgID  workspace.ID
}

// Snapshot is the stored state of a license.
type Snapshot struct {
	ID ID
	// OrgID is the workspace that issued it.
	OrgID     workspace.ID
	ProductID product.ID
	PolicyID  product.PolicyID
	Terms     Terms
	// Overrides are the names of the terms that were set for this license alone.
	Overrides []string
	Owner     Owner
	Status    Status
	// Reason is why it was suspended or revoked.
	Reason string
	// ActivatedAt is when its first machine was; zero for not yet.
	ActivatedAt time.Time
	// ExpiresAt is when its days are over; zero for never, or not before it is activated.
	ExpiresAt time.Time
	// LastSeenAt is when it was validated, to a minute.
	LastSeenAt           time.Time
	Metadata             map[string]any
	CreatedAt, UpdatedAt time.Time
}

// Current returns the state by the clock.
func (s Snapshot) Current(now time.Time) Status {
	if s.Status == Active && s.over(now) {
		return Expired
	}
	return s.Status
}

// Ends returns when the license is over, its days of grace included; zero for never.
func (s Snapshot) Ends() time.Time {
	switch {
	case s.ExpiresAt.IsZero() || s.Terms.OnExpiry == Allow:
		return time.Time{}
	case s.Terms.OnExpiry == Grace:
		return s.ExpiresAt.Add(time.Duration(s.Terms.GraceDays) * day)
	}
	return s.ExpiresAt
}

// Giving returns the license with all of its features: those of its own terms override
// those of its product.
func (s Snapshot) Giving(sold feature.Values) Snapshot {
	s.Terms.Features = s.Terms.Features.Over(sold)
	return s
}

func (s Snapshot) over(now time.Time) bool {
	ends := s.Ends()
	return !ends.IsZero() && !now.Before(ends)
}

// License is one license.
type License struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new license.
type Draft struct {
	ID        ID
	OrgID     workspace.ID
	ProductID product.ID
	PolicyID  product.PolicyID
	// Terms are those of the policy; Own takes the place of some of them.
	Terms Terms
	Own   OwnTerms
	Owner Owner
}

// OwnTerms are terms of one license; nil for those of the policy.
type OwnTerms struct {
	Features     feature.Values
	Seats        *int
	MaxMachines  *int
	OfflineDays  *int
	MachineBound *bool
	ExpiresAt    *time.Time
}

// over puts own terms over others and returns their names.
func (o OwnTerms) over(t *Terms) []string {
	var named []string
	put(&named, "seats", &t.Seats, o.Seats)
	put(&named, "max_machines", &t.MaxMachines, o.MaxMachines)
	put(&named, "offline_days", &t.OfflineDays, o.OfflineDays)
	put(&named, "machine_bound", &t.MachineBound, o.MachineBound)
	if o.Features != nil {
		t.Features = o.Features
		named = append(named, "features")
	}
	if o.ExpiresAt != nil {
		named = append(named, expiresAt)
	}
	return named
}

func put[T any](named *[]string, name string, field, value *T) {
	if value != nil {
		*field = *value
		*named = append(*named, name)
	}
}

// Issue makes a license. It fails like Terms.Check, with ErrPast and ErrTwoOwners.
func Issue(d Draft, now time.Time) (*License, error) {
	s := Snapshot{
		ID: d.ID, OrgID: d.OrgID, ProductID: d.ProductID, PolicyID: d.PolicyID, Terms: d.Terms, Owner: d.Owner,
		Status: Active, CreatedAt: now, UpdatedAt: now,
	}
	s.Overrides = d.Own.over(&s.Terms)
	s.schedule()
	if err := s.own(d.Own, now); err != nil {
		return nil, err
	}
	l := &License{s: s}
	l.Raise(Issued{about(s), d.PolicyID, s.ExpiresAt})
	return l, nil
}

// schedule sets when the days of the license are over, unless that was set for it alone.
func (s *Snapshot) schedule() {
	if slices.Contains(s.Overrides, expiresAt) {
		return
	}
	started := s.CreatedAt
	if s.Terms.Starts == AtActivation {
		started = s.ActivatedAt
	}
	s.ExpiresAt = s.Terms.end(started)
}

// own sets the end that was given for the license, and fails where its terms do not hold
// together.
func (s *Snapshot) own(o OwnTerms, now time.Time) error {
	if o.ExpiresAt != nil {
		if !o.ExpiresAt.After(now) {
			return ErrPast
		}
		s.ExpiresAt = *o.ExpiresAt
	}
	if s.Owner.UserID != "" && s.Owner.OrgID != "" {
		return ErrTwoOwners
	}
	return s.Terms.Check()
}

// Restore returns the license that was stored.
func Restore(s Snapshot, version int64) *License { return &License{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (l *License) Snapshot() Snapshot { return l.s }

// Change is a partial update of a license; nil fields stay unchanged.
type Change struct {
	Own OwnTerms
	// Owner is the new owner.
	Owner *Owner
	// Metadata is a merge patch (RFC 7396).
	Metadata map[string]any
}

// Update changes terms or the owner of the license. It fails like Issue and external.Merge,
// and with ErrRevoked. What stays the same raises nothing.
func (l *License) Update(c Change, now time.Time) error {
	if l.s.Status == Revoked {
		return ErrRevoked
	}
	metadata, err := external.Merge(l.s.Metadata, c.Metadata)
	if err != nil {
		return err
	}
	next := l.s
	next.Overrides = named(l.s.Overrides, c.Own.over(&next.Terms))
	if c.Owner != nil {
		next.Owner = *c.Owner
	}
	if err := next.own(c.Own, now); err != nil {
		return err
	}
	changed := l.differs(next)
	if !external.Same(metadata, l.s.Metadata) {
		next.Metadata = metadata
		changed = append(changed, "metadata_json")
	}
	if changed == nil {
		return nil
	}
	next.UpdatedAt = now
	l.s = next
	l.Raise(Updated{about(next), changed})
	return nil
}

// named returns the names of two lists, each once, in order.
func named(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// differs names the terms and owners in which a state is another one than that of the
// license.
func (l *License) differs(next Snapshot) []string {
	before := l.s.Terms
	changed := before.put(next.Terms, nil)
	if !l.s.ExpiresAt.Equal(next.ExpiresAt) {
		changed = append(changed, expiresAt)
	}
	if l.s.Owner != next.Owner {
		changed = append(changed, "owner")
	}
	return changed
}

// Apply takes over the terms of a policy that changed, but for those that were set for
// this license alone. A revoked one stays as it is.
func (l *License) Apply(t Terms, now time.Time) {
	if l.s.Status == Revoked {
		return
	}
	next := l.s
	changed := next.Terms.put(t, l.s.Overrides)
	if changed == nil {
		return
	}
	next.schedule()
	next.UpdatedAt = now
	l.s = next
	l.Raise(Updated{about(next), changed})
}

// Suspend makes validation answer suspended. It fails with ErrSuspended or ErrRevoked.
func (l *License) Suspend(reason string, now time.Time) error {
	if l.s.Status == Revoked {
		return ErrRevoked
	}
	if l.s.Status == Suspended {
		return ErrSuspended
	}
	l.turn(Suspended, reason, now)
	l.Raise(SuspendedEvent{about(l.s)})
	return nil
}

// Reinstate ends a suspension. It fails with ErrActive or ErrRevoked.
func (l *License) Reinstate(now time.Time) error {
	if l.s.Status == Revoked {
		return ErrRevoked
	}
	if l.s.Status == Active {
		return ErrActive
	}
	l.turn(Active, "", now)
	l.Raise(Reinstated{about(l.s)})
	return nil
}

// Revoke ends the license for good. Doing it again changes nothing.
func (l *License) Revoke(reason string, now time.Time) {
	if l.s.Status == Revoked {
		return
	}
	l.turn(Revoked, reason, now)
	l.Raise(RevokedEvent{about(l.s)})
}

func (l *License) turn(to Status, reason string, now time.Time) {
	l.s.Status, l.s.Reason, l.s.UpdatedAt = to, reason, now
}

// Rotate notes that the license has another key.
func (l *License) Rotate(overlap time.Duration, now time.Time) error {
	if l.s.Status == Revoked {
		return ErrRevoked
	}
	l.s.UpdatedAt = now
	l.Raise(KeyRotated{about(l.s), now.Add(overlap)})
	return nil
}

// Activated notes the first machine, from which the days of some licenses count.
func (l *License) Activated(now time.Time) {
	if l.s.ActivatedAt.IsZero() {
		l.s.ActivatedAt = now
		l.s.schedule()
	}
}
