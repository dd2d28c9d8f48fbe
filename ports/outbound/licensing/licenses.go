package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Licenses stores licenses and their keys, inside a unit of work.
type Licenses interface {
	// ByID returns a license and locks it, and everything that belongs to it, until the
	// transaction ends. It fails with license.ErrNotFound.
	ByID(ctx context.Context, id license.ID) (*license.License, error)
	// ByKey is like ByID, by the canonical text of a valid key.
	ByKey(ctx context.Context, canonical string, now time.Time) (*license.License, error)
	Save(ctx context.Context, l *license.License) error
	// AddKey stores another key of a license.
	AddKey(ctx context.Context, id license.ID, canonical string) error
	// RecordValidation records the time of a validation, which does not change the version of the
	// license.
	RecordValidation(ctx context.Context, id license.ID, now time.Time) error
	// EndKeys sets the expiry of all keys of a license, unless they expire earlier.
	EndKeys(ctx context.Context, id license.ID, at time.Time) error
}

// Owners locks owners of licenses, inside a unit of work.
type Owners interface {
	// Hold reports whether an account or workspace exists, and prevents its deletion
	// until the transaction ends. It returns true for no owner.
	Hold(ctx context.Context, one license.Owner) (bool, error)
	// Bound returns the account with a verified address; "" for none. Until the
	// transaction ends, it prevents binding the address to that account, and its
	// deletion.
	Bound(ctx context.Context, address email.Address) (user.ID, error)
	// Revoke revokes the licenses of an account or workspace that is being deleted.
	Revoke(ctx context.Context, one license.Owner) error
	// Cancel schedules the cancellation of the subscriptions of an account or workspace
	// that is being deleted.
	Cancel(ctx context.Context, one license.Owner) error
}

// LicenseDirectory reads licenses, outside any transaction.
type LicenseDirectory interface {
	// Find returns a license. It fails with license.ErrNotFound.
	Find(ctx context.Context, id license.ID) (license.Snapshot, error)
	// Key returns the key of a license; "" if it is not stored.
	Key(ctx context.Context, id license.ID) (secret.Shown, error)
	// List returns the licenses that match, newest first.
	List(ctx context.Context, query LicenseQuery) ([]license.Snapshot, error)
	// Left returns the transfers of a license away from machines whose offline files
	// are still valid.
	Left(ctx context.Context, id license.ID, now time.Time) ([]license.Transfer, error)
	// Standing returns everything needed to validate a key and the machine with a
	// fingerprint ("" for none). Concurrent calls share one statement, and unknown keys
	// take the same time. It fails with license.ErrNotFound.
	Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (license.State, error)
}

// LicenseQuery narrows a list of licenses; zero values do not narrow.
type LicenseQuery struct {
	Product product.ID
	User    user.ID
	// Issuer and Owned select licenses issued by a workspace, or owned by a person or a
	// workspace; any of them suffices.
	Issuer        workspace.ID
	Owned         license.Owner
	Status        license.Status
	ExpiresBefore time.Time
	// Now is the time for the expiry status.
	Now time.Time
	// Before is the last ID of the previous page.
	Before license.ID
	Limit  int
}

// Machines stores the machines of licenses, inside a unit of work that holds the license
// (Licenses.ByID).
type Machines interface {
	// ByID returns a machine. It fails with license.ErrNoMachine.
	ByID(ctx context.Context, id license.MachineID) (*license.Machine, error)
	// ByFingerprint is like ByID, by the fingerprint.
	ByFingerprint(ctx context.Context, of license.ID, fingerprint license.Fingerprint) (*license.Machine, error)
	// Alive returns the number of machines of a license that have not lapsed.
	Alive(ctx context.Context, of license.ID, now time.Time) (int, error)
	Save(ctx context.Context, m *license.Machine) error
	Delete(ctx context.Context, m *license.Machine) error
}

// Heartbeats records heartbeats of machines; concurrent calls share one statement.
type Heartbeats interface {
	// Beat records the heartbeat of a registered machine, with a valid key of an active
	// license. It reports whether it did; all other cases need a unit of work. until is
	// when the machine lapses; zero for never.
	Beat(ctx context.Context, canonical string, machine license.Fingerprint) (until time.Time, noted bool, err error)
}

// MachineDirectory reads machines, outside any transaction.
type MachineDirectory interface {
	// List returns the machines that match, newest first.
	List(ctx context.Context, query MachineQuery) ([]license.MachineSnapshot, error)
}

// MachineQuery narrows a list of machines; zero values do not narrow.
type MachineQuery struct {
	License license.ID
	// Lapsed selects machines that have lapsed by Now, or have not.
	Lapsed *bool
	Now    time.Time
	// Before is the last ID of the previous page.
	Before license.MachineID
	Limit  int
}
