// Package mfa holds the second factors of one account: TOTP apps, codes by
// e-mail, recovery codes, and the bypass that a helpdesk hands out (contract
// section 5). Passkeys stand apart, in package passkey.
package mfa

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

type idKind struct{}

func (idKind) Prefix() string { return "fac" }

// ID identifies a factor.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Method is a way to answer a second-factor challenge.
type Method string

// The methods.
const (
	TOTP         Method = "totp"
	Email        Method = "email"
	RecoveryCode Method = "recovery_code"
	Bypass       Method = "bypass"
	Passkey      Method = "passkey"
)

// Factor is one enrolled factor: of the method TOTP or Email.
type Factor struct {
	ID     ID
	Method Method
	Name   string
	// Secret is the shared secret of TOTP (RFC 6238), in base32.
	Secret string `json:",omitzero"`
	// Step is the last time step whose code was used: none up to it works again.
	Step int64 `json:",omitzero"`
	// ConfirmedAt is unset while the enrolment waits for its first code.
	ConfirmedAt time.Time `json:",omitzero"`
	CreatedAt   time.Time
	LastUsedAt  time.Time `json:",omitzero"`
}

// OneTime is a bypass code, kept as its digest.
type OneTime struct {
	Digest    string
	ExpiresAt time.Time
}

// Snapshot is the stored state.
type Snapshot struct {
	UserID  user.ID `json:"-"`
	Factors []Factor
	// Recovery are the digests of the recovery codes that are left.
	Recovery []string `json:",omitzero"`
	Bypass   OneTime  `json:",omitzero"`
	// Failures are the times of wrong codes that still count; while LockedUntil
	// lies ahead no code is looked at.
	Failures    []time.Time `json:",omitzero"`
	LockedUntil time.Time   `json:",omitzero"`
}

// Factors are the second factors of one account.
type Factors struct {
	aggregate.Root
	s Snapshot
}

// None are those of an account that never had any.
func None(owner user.ID) *Factors { return &Factors{s: Snapshot{UserID: owner}} }

// Restore gives the factors that were stored.
func Restore(s Snapshot, version int64) *Factors {
	return &Factors{Root: aggregate.At(version), s: s}
}

// Snapshot gives the state to store.
func (f *Factors) Snapshot() Snapshot { return f.s }

// Enrolled tells whether a login has to be answered by a second factor.
func (f *Factors) Enrolled() bool {
	for _, one := range f.s.Factors {
		if !one.ConfirmedAt.IsZero() {
			return true
		}
	}
	return false
}

// Methods are the ways in which a challenge may be answered, in the order in which
// they are offered.
func (f *Factors) Methods() []Method {
	methods := make([]Method, 0, len(f.s.Factors)+1)
	for _, method := range []Method{TOTP, Email} {
		for _, one := range f.s.Factors {
			if one.Method == method && !one.ConfirmedAt.IsZero() {
				methods = append(methods, method)
				break
			}
		}
	}
	if len(methods) > 0 && len(f.s.Recovery) > 0 {
		methods = append(methods, RecoveryCode)
	}
	return methods
}
