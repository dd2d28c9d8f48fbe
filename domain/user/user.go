// Package user holds the account of a person (specification section 2.3). What
// proves that person's identity is kept apart, in package credential.
package user

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// Errors of accounts.
var (
	ErrNotFound       = fault.New(fault.NotFound, "no such user")
	ErrEmailTaken     = fault.Invalid("/email", "email already registered")
	ErrExternalTaken  = fault.Invalid("/external_id", "external ID already in use")
	ErrLastSuperadmin = fault.New(fault.Validation, "the last superadmin cannot be removed")
)

type idKind struct{}

func (idKind) Prefix() string { return "usr" }

// ID identifies a user.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// ParseID reads an identifier; it fails with id.ErrMalformed.
func ParseID(text string) (ID, error) { return id.Parse[idKind](text) }

// Status reports whether an account may be used.
type Status string

// The states of an account.
const (
	Active   Status = "active"
	Disabled Status = "disabled"
)

// Action is something that a person must do before they are let in.
type Action string

// The actions.
const (
	ChangePassword Action = "change_password"
	VerifyEmail    Action = "verify_email"
	EnrollMFA      Action = "enroll_mfa"
)

// SchemaFragment describes the action in a JSON Schema.
func (Action) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(ChangePassword), string(VerifyEmail), string(EnrollMFA)}}
}

// Snapshot is the stored state of a user.
type Snapshot struct {
	ID            ID
	Email         email.Address
	EmailVerified bool
	// EmailBound reports whether the account is known to belong to the owner of the
	// verified address: a mailed link proves control of the mailbox, not who created
	// the account (contract section 4).
	EmailBound  bool
	DisplayName string
	Avatar      string
	Locale      string
	Timezone    string
	ExternalID  string
	// Metadata is the application's own data.
	Metadata   map[string]any
	Superadmin bool
	// RequiredActions must be completed before the person is let in.
	RequiredActions []Action
	Status          Status
	DisabledUntil   time.Time
	DisabledWhy     string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	LastLoginAt     time.Time
}

// Usable reports whether the account may be used.
func (s Snapshot) Usable(now time.Time) bool { return s.Availability().Usable(now) }

// Availability returns what determines whether the account may be used.
func (s Snapshot) Availability() Availability {
	return Availability{Status: s.Status, DisabledUntil: s.DisabledUntil}
}

// Availability determines whether an account may be used; the zero value means that it
// may.
type Availability struct {
	Status        Status
	DisabledUntil time.Time
}

// Usable reports whether the account may be used: it is not disabled, or was so until
// a time that has passed.
func (a Availability) Usable(now time.Time) bool {
	return a.Status != Disabled || (!a.DisabledUntil.IsZero() && !now.Before(a.DisabledUntil))
}

// User is one account.
type User struct {
	aggregate.Root
	s Snapshot
	// read is the state that was stored.
	read Snapshot
	// bound reports whether the address was bound since this copy was read.
	bound bool
}

// New makes an account.
func New(id ID, address email.Address, displayName string, now time.Time) *User {
	u := &User{s: Snapshot{
		ID: id, Email: address, DisplayName: displayName,
		Status: Active, CreatedAt: now, UpdatedAt: now,
	}}
	u.Raise(Created{UserID: id})
	return u
}

// Restore returns the user that was stored.
func Restore(s Snapshot, version int64) *User {
	return &User{Root: aggregate.At(version), s: s, read: s}
}

// Snapshot returns the state to store.
func (u *User) Snapshot() Snapshot { return u.s }

// ID returns the user's identifier.
func (u *User) ID() ID { return u.s.ID }

// Profile is a patch; nil leaves a field as it is.
type Profile struct {
	DisplayName *string
	Avatar      *string
	Locale      *string
	Timezone    *string
	ExternalID  *string
}

// Update patches the profile. A patch that changes nothing raises nothing.
func (u *User) Update(p Profile, now time.Time) {
	var changed []string
	set := func(name string, to *string, field *string) {
		if to != nil && *to != *field {
			*field = *to
			changed = append(changed, name)
		}
	}
	set("display_name", p.DisplayName, &u.s.DisplayName)
	set("avatar", p.Avatar, &u.s.Avatar)
	set("locale", p.Locale, &u.s.Locale)
	set("timezone", p.Timezone, &u.s.Timezone)
	set("external_id", p.ExternalID, &u.s.ExternalID)
	u.updated(changed, now)
}

// MarkEmailVerified records that another system verified the address. This does not
// prove who created the account here.
func (u *User) MarkEmailVerified(now time.Time) {
	if !u.s.EmailVerified {
		u.s.EmailVerified = true
		u.updated([]string{"email_verified"}, now)
	}
}

// BindNew notes, of an account that is being made, that its address is known to be
// that of the person it is made for.
func (u *User) BindNew() { u.s.EmailVerified, u.s.EmailBound, u.bound = true, true, true }

// NewlyBound reports whether the address was bound since this copy was read.
func (u *User) NewlyBound() bool { return u.bound }

// Altered reports whether more than the time of the last login changed since this copy was
// read.
func (u *User) Altered() bool {
	return u.Version() == 0 || u.s.Email != u.read.Email || u.s.DisplayName != u.read.DisplayName || !u.s.UpdatedAt.Equal(u.read.UpdatedAt)
}

func (u *User) updated(changed []string, now time.Time) {
	if len(changed) == 0 {
		return
	}
	u.s.UpdatedAt = now
	if u.Version() > 0 {
		u.Raise(Updated{UserID: u.s.ID, Changed: changed})
	}
}

// Disable stops the account, for good or until a time.
func (u *User) Disable(reason string, until, now time.Time) {
	u.s.Status, u.s.DisabledWhy, u.s.DisabledUntil, u.s.UpdatedAt = Disabled, reason, until, now
	u.Raise(WasDisabled{UserID: u.s.ID, Reason: reason, Until: until})
}

// Enable enables a disabled account; an active one stays unchanged.
func (u *User) Enable(now time.Time) {
	if u.s.Status == Active {
		return
	}
	u.s.Status, u.s.DisabledWhy, u.s.DisabledUntil, u.s.UpdatedAt = Active, "", time.Time{}, now
	u.Raise(Enabled{UserID: u.s.ID})
}

// SetSuperadmin returns or takes superadmin. That one superadmin stays is the
// caller's to check, because it spans accounts.
func (u *User) SetSuperadmin(super bool, now time.Time) {
	if u.s.Superadmin == super {
		return
	}
	u.s.Superadmin, u.s.UpdatedAt = super, now
	u.Raise(SuperadminChanged{UserID: u.s.ID, Superadmin: super})
}

// Fulfill records that a required action was completed, if it was required.
func (u *User) Fulfill(done Action, now time.Time) {
	left := slices.DeleteFunc(slices.Clone(u.s.RequiredActions), func(a Action) bool { return a == done })
	if len(left) < len(u.s.RequiredActions) {
		u.s.RequiredActions, u.s.UpdatedAt = left, now
	}
}

// LoggedIn notes the time of a login.
func (u *User) LoggedIn(now time.Time) { u.s.LastLoginAt = now }

// Merge records the account that this one is merged into.
func (u *User) Merge(target ID) { u.Raise(Merged{SourceUserID: u.s.ID, TargetUserID: target}) }

// Delete notes that the account is being deleted.
func (u *User) Delete() { u.Raise(Deleted{UserID: u.s.ID}) }
