package dpop

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// mostLive is how many live bindings one owner may have.
const mostLive = 50

// Errors of bindings.
var (
	ErrNotFound   = fault.New(fault.NotFound, "no such DPoP binding")
	ErrNoOwner    = fault.New(fault.Auth, "the account or app of this credential no longer exists")
	ErrRegistered = fault.Invalid("/public_jwk", "this key is already registered: revoke its binding before registering it again")
	ErrTooMany    = fault.LimitReached("DPoP key", mostLive, "revoke one with DPOP.REVOKE")
)

// Owner is the owner of a binding: a user or an app, exactly one of which is set.
type Owner struct {
	User user.ID
	App  app.ID
}

// Snapshot is the stored state of a binding.
type Snapshot struct {
	ID    ID
	Owner Owner
	// Thumbprint is the SHA-256 thumbprint of the key (RFC 7638), in base64url; a
	// token that is bound to the key carries it as cnf.jkt.
	Thumbprint string
	// PublicJWK is the key as JSON with its required members alone.
	PublicJWK []byte
	Name      Name
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time
}

// Live reports whether tokens may be bound to the key at a time.
func (s Snapshot) Live(now time.Time) bool { return s.RevokedAt.IsZero() && now.Before(s.ExpiresAt) }

// Status is the state of a binding.
type Status string

// What can become of a binding.
const (
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

// Status returns the status of the binding at a time.
func (s Snapshot) Status(now time.Time) Status {
	switch {
	case !s.RevokedAt.IsZero():
		return Revoked
	case s.Live(now):
		return Active
	default:
		return Expired
	}
}

// Binding is a public key that its owner registered, so that tokens can be bound
// to it by name (specification section 2.10).
type Binding struct {
	aggregate.Root
	s Snapshot
}

// Registration are the attributes of a new binding.
type Registration struct {
	ID    ID
	Owner Owner
	// Org is the workspace in which the owner acts.
	Org        workspace.ID
	Thumbprint string
	PublicJWK  []byte
	Name       Name
	Life       time.Duration
}

// Register creates a binding; live are those of the owner. It fails with ErrRegistered
// if one of them has the same key, and with ErrTooMany.
func Register(r Registration, live []Snapshot, now time.Time) (*Binding, error) {
	switch {
	case slices.ContainsFunc(live, func(s Snapshot) bool { return s.Thumbprint == r.Thumbprint }):
		return nil, ErrRegistered
	case len(live) >= mostLive:
		return nil, ErrTooMany
	}
	b := &Binding{s: Snapshot{
		ID: r.ID, Owner: r.Owner, Thumbprint: r.Thumbprint, PublicJWK: r.PublicJWK, Name: r.Name,
		CreatedAt: now, ExpiresAt: now.Add(r.Life),
	}}
	b.Raise(BindingRegistered{
		BindingID: r.ID, UserID: r.Owner.User, AppID: r.Owner.App, OrgID: r.Org,
		Thumbprint: r.Thumbprint, ExpiresAt: b.s.ExpiresAt,
	})
	return b, nil
}

// Restore returns the binding that was stored.
func Restore(s Snapshot, version int64) *Binding {
	return &Binding{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (b *Binding) Snapshot() Snapshot { return b.s }

// ID returns the binding's identifier.
func (b *Binding) ID() ID { return b.s.ID }

// OwnedBy reports whether it is a person's binding.
func (b *Binding) OwnedBy(owner Owner) bool { return b.s.Owner == owner }

// Revoke revokes the binding for its owner, who acts in a workspace. A binding that has
// ended stays unchanged.
func (b *Binding) Revoke(org workspace.ID, now time.Time) {
	if !b.s.Live(now) {
		return
	}
	b.s.RevokedAt = now
	b.Raise(BindingRevoked{
		BindingID: b.s.ID, UserID: b.s.Owner.User, AppID: b.s.Owner.App, OrgID: org, Thumbprint: b.s.Thumbprint,
	})
}
