// Package device defines remembered devices, which need no second factor until they
// expire (spec/commands DEVICE).
package device

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// mostHeld is how many remembered devices one account may have.
const mostHeld = 50

// Errors of remembered devices.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such device")
	ErrOff      = fault.New(fault.Denied, "the MFA policy does not allow remembered devices")
	ErrProof    = fault.New(fault.Auth, "recent second factor required: sign in with one, or call AUTH.REAUTHENTICATE and try again")
	ErrTooMany  = fault.LimitReached("remembered device", mostHeld, "revoke one with DEVICE.REVOKE")
)

type idKind struct{}

func (idKind) Prefix() string { return "dev" }

// ID identifies a remembered device.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Name is the display name of a device, or empty.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("laptop at home") }

// Snapshot is the stored state of a device.
type Snapshot struct {
	ID     ID
	UserID user.ID
	// Digest is that of the token which the device holds.
	Digest string
	Name   Name
	// IP and UserAgent are those of the call that asked to remember it.
	IP         string
	UserAgent  string
	CreatedAt  time.Time
	LastUsedAt time.Time
	ExpiresAt  time.Time
}

// Device is one remembered device.
type Device struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new device.
type Draft struct {
	ID        ID
	UserID    user.ID
	Digest    string
	Name      Name
	IP        string
	UserAgent string
	// AMR is how the person of the session proved presence.
	AMR []string
}

// Trust creates a remembered device; held is the number of existing ones. It fails with
// ErrOff if the policy disables remembered devices, with ErrProof if no second factor
// was used, and with ErrTooMany.
func Trust(w Draft, rules policy.MFA, held int, now time.Time) (*Device, error) {
	switch {
	case rules.RememberDays <= 0:
		return nil, ErrOff
	case !slices.Contains(w.AMR, session.ByFactors):
		return nil, ErrProof
	case held >= mostHeld:
		return nil, ErrTooMany
	}
	d := &Device{s: Snapshot{
		ID: w.ID, UserID: w.UserID, Digest: w.Digest, Name: w.Name, IP: w.IP, UserAgent: w.UserAgent,
		CreatedAt: now, ExpiresAt: now.AddDate(0, 0, rules.RememberDays),
	}}
	d.Raise(Trusted{DeviceID: w.ID, UserID: w.UserID, ExpiresAt: d.s.ExpiresAt})
	return d, nil
}

// Restore returns the device that was stored.
func Restore(s Snapshot, version int64) *Device { return &Device{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (d *Device) Snapshot() Snapshot { return d.s }

// ID returns the device's identifier.
func (d *Device) ID() ID { return d.s.ID }

// OwnedBy reports whether it is a person's device.
func (d *Device) OwnedBy(person user.ID) bool { return d.s.UserID == person }

// Revoke notes that the device is forgotten.
func (d *Device) Revoke() { d.Raise(Revoked{DeviceID: d.s.ID, UserID: d.s.UserID}) }
