// Package identity defines links between accounts of this service and of upstream
// providers, which allow a login at the provider (contract section 6).
package identity

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// Errors of identities.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such linked account")
	ErrLast      = fault.New(fault.Validation, "this is your only way to sign in: add a password, passkey or linked account first")
	ErrElsewhere = fault.Invalid("/provider", "this provider account is already linked to another account: unlink it there first")
	ErrHeld      = fault.Invalid("/provider", "an account of this provider is already linked: unlink it first")
)

type idKind struct{}

func (idKind) Prefix() string { return "idn" }

// ID identifies an identity.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Tokens are the provider's tokens for its own API.
type Tokens struct {
	Access secret.String
	// Refresh is the refresh token; empty if there is none.
	Refresh secret.String
	// ExpiresAt is the end of the access token; unset: it has none.
	ExpiresAt time.Time
	Scopes    []string
}

// dueBefore is how long before its end an access token is refreshed.
const dueBefore = time.Minute

// Due reports whether the access token has ended, or will before it is of use.
func (t Tokens) Due(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt.Add(-dueBefore))
}

// Upstream names one account at one provider.
type Upstream struct {
	// Provider is the name of the provider.
	Provider string
	// ID is the provider's own identifier of the account, which never changes.
	ID string
}

// Snapshot is the stored state of an identity.
type Snapshot struct {
	ID       ID
	UserID   user.ID
	Upstream Upstream
	// Email is the address last reported by the provider; zero for none.
	Email       email.Address
	Tokens      Tokens
	LinkedAt    time.Time
	LastLoginAt time.Time
}

// Identity is one linked account.
type Identity struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new identity.
type Draft struct {
	ID       ID
	UserID   user.ID
	Upstream Upstream
	Email    email.Address
	Tokens   Tokens
}

// Link makes an identity.
func Link(n Draft, now time.Time) *Identity {
	i := &Identity{s: Snapshot{ID: n.ID, UserID: n.UserID, Upstream: n.Upstream, Email: n.Email, Tokens: n.Tokens, LinkedAt: now}}
	i.Raise(Linked{IdentityID: n.ID, UserID: n.UserID, Provider: n.Upstream.Provider})
	return i
}

// Restore returns the identity that was stored.
func Restore(s Snapshot, version int64) *Identity {
	return &Identity{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (i *Identity) Snapshot() Snapshot { return i.s }

// ID returns the identity's identifier.
func (i *Identity) ID() ID { return i.s.ID }

// Used records a login with its data from the provider.
func (i *Identity) Used(address email.Address, tokens Tokens, now time.Time) {
	i.s.Email, i.s.LastLoginAt = address, now
	i.Renew(tokens)
}

// Renew replaces the tokens. A refresh token that was not replaced is still good.
func (i *Identity) Renew(tokens Tokens) {
	if tokens.Refresh.Empty() {
		tokens.Refresh = i.s.Tokens.Refresh
	}
	if len(tokens.Scopes) == 0 {
		tokens.Scopes = i.s.Tokens.Scopes
	}
	i.s.Tokens = tokens
}

// Move makes the identity that of another account.
func (i *Identity) Move(to user.ID) { i.s.UserID = to }

// Unlink notes that the identity is being removed.
func (i *Identity) Unlink() {
	i.Raise(Unlinked{IdentityID: i.s.ID, UserID: i.s.UserID, Provider: i.s.Upstream.Provider})
}
