package license

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// Limits of the stored data of machines.
const (
	// MostMachines is how many may take a place of one license at once, whatever its terms
	// say.
	MostMachines = 100_000
	// LapsedKept is how long a machine is kept that lapsed.
	LapsedKept = 90 * day
)

// ClockSkew is the tolerated clock difference of replicas. A place that expires sooner
// may have expired by the clock of another replica, which has assigned it again: it is
// kept only if there is room for both.
const ClockSkew = 10 * time.Second

// ErrNoMachine is returned if the machine does not exist.
var ErrNoMachine = fault.New(fault.NotFound, "no such machine")

type machineKind struct{}

func (machineKind) Prefix() string { return "mch" }

// MachineID identifies a machine.
type MachineID = id.ID[machineKind]

// NewMachineID mints an identifier.
func NewMachineID(m id.Minter) MachineID { return id.New[machineKind](m) }

// Fingerprint identifies a machine for a program; it is compared exactly.
type Fingerprint string

// SchemaFragment describes the fingerprint in a JSON Schema.
func (Fingerprint) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": 255, "examples": []any{"4C4C4544-0051-3510-8052-B4C04F4A4E32"}} //nolint:mnd // spec/licenses.md section 2
}

// MachineSnapshot is the stored state of a machine.
type MachineSnapshot struct {
	ID          MachineID
	LicenseID   ID
	Fingerprint Fingerprint
	Name        string
	Platform    string
	Metadata    map[string]any
	ActivatedAt time.Time
	// BeatAt is the last sign of life.
	BeatAt time.Time
	// LapsesAt is until when its place is taken; zero for good.
	LapsesAt time.Time
	// OfflineUntil is until when its last offline file holds; zero for none.
	OfflineUntil time.Time
}

// Machine is a place of a license that is taken.
type Machine struct {
	aggregate.Root
	s MachineSnapshot
}

// Activate takes a place of a license. It fails like external.Merge.
func Activate(of Snapshot, s MachineSnapshot, now time.Time) (*Machine, error) {
	metadata, err := external.Merge(nil, s.Metadata)
	if err != nil {
		return nil, err
	}
	s.LicenseID, s.Metadata, s.ActivatedAt = of.ID, metadata, now
	m := &Machine{s: s}
	m.live(of, now)
	m.Raise(MachineActivated{about(of), s.ID, s.Platform})
	return m, nil
}

// RestoreMachine returns the machine that was stored.
func RestoreMachine(s MachineSnapshot, version int64) *Machine {
	return &Machine{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (m *Machine) Snapshot() MachineSnapshot { return m.s }

// Beat records a heartbeat. A machine that had lapsed is activated again, with an
// event.
func (m *Machine) Beat(of Snapshot, now time.Time) {
	if !m.s.Alive(now) {
		m.Raise(MachineActivated{about(of), m.s.ID, m.s.Platform})
	}
	m.live(of, now)
}

// live notes a sign of life. It never shortens how long the place is taken.
func (m *Machine) live(of Snapshot, now time.Time) {
	m.s.BeatAt = now
	if of.Terms.HeartbeatMinutes == 0 {
		m.s.LapsesAt = time.Time{}
		return
	}
	if until := now.Add(time.Duration(of.Terms.HeartbeatMinutes) * time.Minute); until.After(m.s.LapsesAt) {
		m.s.LapsesAt = until
	}
}

// Deactivate frees the place. It is for the store to remove the machine.
func (m *Machine) Deactivate(of Snapshot) { m.Raise(MachineDeactivated{about(of), m.s.ID}) }

// Alive reports whether the machine has not lapsed.
func (s MachineSnapshot) Alive(now time.Time) bool {
	return s.LapsesAt.IsZero() || now.Before(s.LapsesAt)
}
