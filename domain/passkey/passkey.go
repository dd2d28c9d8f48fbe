// Package passkey is the model of passkeys: public keys whose private keys are held by
// authenticators (specification section 4.6; Web Authentication Level 3).
package passkey

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// MaxHeld is how many passkeys a user may have.
const MaxHeld = 25

// Errors of passkeys. All errors of a login response are the same for the client.
var (
	ErrNotFound   = fault.New(fault.NotFound, "no such passkey")
	ErrRefused    = fault.New(fault.Auth, "the passkey was not accepted: start again")
	ErrChanged    = fault.New(fault.Auth, "the passkey's backup eligibility has changed since registration: sign in another way, remove it and register it again")
	ErrNotAlone   = fault.Invalid("/credential", "this security key cannot be used as a passkey: use a device or password manager that stores passkeys")
	ErrCloned     = fault.New(fault.Auth, "the passkey's signature counter went backwards")
	ErrMalformed  = fault.Unfit("/credential", "must be the credential from the browser, serialized with toJSON()")
	ErrUnverified = fault.Invalid("/credential", "the new passkey could not be verified: start again")
	ErrTaken      = fault.Invalid("/credential", "this passkey is already registered")
	ErrLast       = fault.New(fault.Validation, "this is the account's only way to sign in: add a password, another passkey or a linked account first")
	ErrTooMany    = fault.LimitReached("passkey", MaxHeld, "revoke one first")
)

type idKind struct{}

func (idKind) Prefix() string { return "pky" }

// ID identifies a passkey.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Reasons for the revocation of a passkey, in passkey.revoked.
const (
	ByUser  = "revoked"
	ByAdmin = "revoked_by_admin"
)

// Record is the credential record (Web Authentication section 4).
type Record struct {
	// PublicKey is a COSE_Key (RFC 9052 section 7).
	PublicKey []byte
	// SignCount is the authenticator's counter as it was seen last; 0 where it has none.
	SignCount uint32
	// BackupEligible reports whether it may be copied between devices, which never
	// changes; BackedUp that it is.
	BackupEligible, BackedUp bool
	// UserVerified reports whether the person was verified when it was made or used: it can
	// be more than a second factor.
	UserVerified bool
	// Undiscoverable reports whether the browser said that the authenticator does not find
	// it without being told its name.
	Undiscoverable bool `json:",omitzero"`
	// Handle is the user handle in the authenticator, if it is that of another account,
	// which was merged into the passkey's.
	Handle user.ID `json:",omitzero"`
	// AAGUID is the model of the authenticator as a UUID; zeros if unknown.
	AAGUID string
	// Transports are the transports reported by the browser.
	Transports []string `json:",omitempty"`
	// Attachment is platform, cross-platform or empty.
	Attachment string `json:",omitzero"`
	// Format and Attestation are the attestation format and object, and ClientData the
	// signed client data, for a later verification.
	Format                  string
	Attestation, ClientData []byte
}

// SignsIn reports whether it can sign its owner in by itself; others are second factors
// only. Sign-ins offer no names of passkeys, and ask for user verification.
func (r Record) SignsIn() bool { return r.UserVerified && !r.Undiscoverable }

// Snapshot is the stored state of a passkey.
type Snapshot struct {
	ID     ID
	UserID user.ID
	// CredentialID is the authenticator's name of it, in base64url.
	CredentialID string
	Name         Name
	Record       Record
	CreatedAt    time.Time
	// LastUsedAt is the last login by it; unset for never.
	LastUsedAt time.Time
}

// Passkey is one credential of one person.
type Passkey struct {
	aggregate.Root
	s Snapshot
}

// Registration are the attributes of a new passkey.
type Registration struct {
	ID           ID
	UserID       user.ID
	CredentialID string
	Name         Name
	Record       Record
}

// Register creates a passkey whose attestation was verified.
func Register(r Registration, now time.Time) *Passkey {
	p := &Passkey{s: Snapshot{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, Name: r.Name, Record: r.Record, CreatedAt: now,
	}}
	p.Raise(Registered{PasskeyID: r.ID, UserID: r.UserID, BackupEligible: r.Record.BackupEligible})
	return p
}

// Restore returns the passkey that was stored.
func Restore(s Snapshot, version int64) *Passkey { return &Passkey{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (p *Passkey) Snapshot() Snapshot { return p.s }

// ID returns the passkey's identifier.
func (p *Passkey) ID() ID { return p.s.ID }

// OwnedBy reports whether it is a person's passkey.
func (p *Passkey) OwnedBy(person user.ID) bool { return p.s.UserID == person }

// Handle returns the user handle in the authenticator.
func (s Snapshot) Handle() user.ID {
	if s.Record.Handle != "" {
		return s.Record.Handle
	}
	return s.UserID
}

// Move makes the passkey that of another account.
func (p *Passkey) Move(to user.ID) { p.s.Record.Handle, p.s.UserID = p.s.Handle(), to }

// Use is the data reported by an authenticator with a signature.
type Use struct {
	SignCount uint32
	BackedUp  bool
	// UserVerified reports whether the person was verified, by a PIN or biometrics.
	UserVerified bool
}

// Used records a login. It fails with ErrCloned if the signature counter did not
// increase, which means that two authenticators have the key (Web Authentication
// section 6.1.1). Only authenticators that have never reported a counter are exempt,
// because a clone could otherwise omit it.
func (p *Passkey) Used(u Use, now time.Time) error {
	if p.s.Record.SignCount != 0 && u.SignCount <= p.s.Record.SignCount {
		return ErrCloned
	}
	p.s.Record.SignCount = u.SignCount
	p.s.Record.BackedUp, p.s.LastUsedAt = u.BackedUp, now
	p.s.Record.UserVerified = p.s.Record.UserVerified || u.UserVerified
	return nil
}

// Rename changes the name; the same name raises no event.
func (p *Passkey) Rename(name Name) {
	if name == p.s.Name {
		return
	}
	p.s.Name = name
	p.Raise(Updated{PasskeyID: p.s.ID, UserID: p.s.UserID, Changed: []string{"name"}})
}

// Revoke notes that the passkey is being removed.
func (p *Passkey) Revoke(reason string) {
	p.Raise(WasRevoked{PasskeyID: p.s.ID, UserID: p.s.UserID, Reason: reason})
}

// AMR is how a login by this passkey proves an identity (RFC 8176): by a key that
// stays in one device or may be copied, by presence, and by two factors where the
// person was verified or had proved something before.
func (p *Passkey) AMR(twoFactors bool) []string {
	methods := []string{"hwk", "user"}
	if p.s.Record.BackupEligible {
		methods[0] = "swk"
	}
	if twoFactors {
		methods = append(methods, session.ByFactors)
	}
	return methods
}
