// Package mfa is the model of second factors: TOTP apps, codes by email, recovery
// codes, and bypass codes of a help desk (contract section 5). Passkeys are in package
// passkey.
package mfa

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

// Errors of second factors.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such second factor")
	// ErrWrongCode is the one answer to a code that does not do, whatever the reason.
	ErrWrongCode = fault.New(fault.Auth, "the code is wrong, expired or already used")
	ErrNone      = fault.New(fault.Validation, "no second factor is enrolled: enroll one first")
	ErrRequired  = fault.New(fault.Validation, "a policy requires a second factor: enroll another one before removing the last")
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

// SchemaFragment describes the method in a JSON Schema.
func (Method) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(TOTP), string(Email), string(RecoveryCode), string(Bypass), string(Passkey)}}
}

// Name is the display name of a factor.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("Phone") }

// Factor is one enrolled factor: of the method TOTP or Email.
type Factor struct {
	ID     ID
	Method Method
	Name   string
	// Secret is the shared secret of TOTP (RFC 6238), in base32.
	Secret string `json:",omitzero"`
	// Step is the last time step whose code was used; it and earlier ones are rejected.
	Step int64 `json:",omitzero"`
	// Challenge is the digest of the challenge whose code confirms an enrollment of
	// Email.
	Challenge string `json:",omitzero"`
	// ConfirmedAt is unset while the enrollment waits for its first code.
	ConfirmedAt time.Time `json:",omitzero"`
	CreatedAt   time.Time
	LastUsedAt  time.Time `json:",omitzero"`
}

// Pending reports whether the enrollment waits for its first code.
func (f Factor) Pending() bool { return f.ConfirmedAt.IsZero() }

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
	// Mailed are the times of the last hour at which a code was mailed.
	Mailed []time.Time `json:",omitzero"`
	// MailDistrusted is until when a code by email is not accepted if the account has
	// another factor, because its password was reset by mail.
	MailDistrusted time.Time `json:",omitzero"`
	// Failures are the times of wrong codes that still count; while LockedUntil
	// lies ahead no code is looked at.
	Failures    []time.Time `json:",omitzero"`
	LockedUntil time.Time   `json:",omitzero"`
}

// Enrolled returns the confirmed factors.
func (s Snapshot) Enrolled() []Factor {
	return slices.DeleteFunc(slices.Clone(s.Factors), Factor.Pending)
}

// Factors are the second factors of one account.
type Factors struct {
	aggregate.Root
	s Snapshot
}

// None returns those of an account that never had any.
func None(owner user.ID) *Factors { return &Factors{s: Snapshot{UserID: owner}} }

// Restore returns the factors that were stored.
func Restore(s Snapshot, version int64) *Factors {
	return &Factors{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (f *Factors) Snapshot() Snapshot { return f.s }

// Enrolled reports whether a login has to be answered by a second factor.
func (f *Factors) Enrolled() bool { return len(f.s.Enrolled()) > 0 }

// change changes one factor, and no copy of the state that was handed out.
func (f *Factors) change(id ID, by func(*Factor)) {
	f.s.Factors = slices.Clone(f.s.Factors)
	for i := range f.s.Factors {
		if f.s.Factors[i].ID == id {
			by(&f.s.Factors[i])
		}
	}
}

// Has reports whether a method is enrolled.
func (f *Factors) Has(method Method) bool {
	return slices.ContainsFunc(f.s.Enrolled(), func(one Factor) bool { return one.Method == method })
}

// mailDistrust is for how long codes by email are not accepted beside another factor
// after a password reset by mail (contract section 4).
const mailDistrust = 24 * time.Hour

// DistrustMail notes that the password was reset by mail.
func (f *Factors) DistrustMail(now time.Time) { f.s.MailDistrusted = now.Add(mailDistrust) }

// TakesMail reports whether a code by email is a second factor of the account at a
// moment; passkey is whether the account has one.
func (f *Factors) TakesMail(passkey bool, now time.Time) bool {
	alone := !passkey && !f.Has(TOTP)
	return f.Has(Email) && (alone || !now.Before(f.s.MailDistrusted))
}

// Methods returns the ways in which a challenge may be answered, in the order in which
// they are offered.
func (f *Factors) Methods() []Method {
	methods := []Method{}
	for _, method := range []Method{TOTP, Email} {
		if f.Has(method) {
			methods = append(methods, method)
		}
	}
	if len(methods) > 0 && len(f.s.Recovery) > 0 {
		methods = append(methods, RecoveryCode)
	}
	return methods
}

// Remove removes a factor. With needed set, the last one cannot be removed. With the
// last one, recovery and bypass codes are removed. It fails with ErrNotFound or
// ErrRequired.
func (f *Factors) Remove(id ID, needed bool) error {
	enrolled := f.s.Enrolled()
	at := slices.IndexFunc(enrolled, func(one Factor) bool { return one.ID == id })
	switch {
	case at < 0:
		return ErrNotFound
	case needed && len(enrolled) == 1:
		return ErrRequired
	}
	f.s.Factors = slices.DeleteFunc(slices.Clone(f.s.Factors), func(one Factor) bool { return one.ID == id })
	if len(enrolled) == 1 {
		f.s.Recovery, f.s.Bypass = nil, OneTime{}
	}
	f.Raise(Removed{UserID: f.s.UserID, FactorID: id, Method: enrolled[at].Method})
	return nil
}

// Reset removes all factors and the lock, and returns the number of factors.
func (f *Factors) Reset(reason string) int {
	removed := len(f.s.Enrolled())
	f.s = Snapshot{UserID: f.s.UserID, Mailed: f.s.Mailed}
	f.Raise(WasReset{UserID: f.s.UserID, Removed: removed, Reason: reason})
	return removed
}
