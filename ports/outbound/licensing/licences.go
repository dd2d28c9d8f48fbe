package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Licences stores licences and their keys, inside a unit of work.
type Licences interface {
	// ByID returns a licence and locks it, and everything that belongs to it, until the
	// transaction ends. It fails with licence.ErrNotFound.
	ByID(ctx context.Context, id licence.ID) (*licence.Licence, error)
	// ByKey is like ByID, by the canonical text of a valid key.
	ByKey(ctx context.Context, canonical string, now time.Time) (*licence.Licence, error)
	Save(ctx context.Context, l *licence.Licence) error
	// AddKey stores another key of a licence.
	AddKey(ctx context.Context, id licence.ID, canonical string) error
	// Seen records the time of a validation, which does not change the version of the
	// licence.
	Seen(ctx context.Context, id licence.ID, now time.Time) error
	// EndKeys sets the expiry of all keys of a licence, unless they expire earlier.
	EndKeys(ctx context.Context, id licence.ID, at time.Time) error
}

// Owners locks owners of licences, inside a unit of work.
type Owners interface {
	// Hold reports whether an account or workspace exists, and prevents its deletion
	// until the transaction ends. It returns true for no owner.
	Hold(ctx context.Context, one licence.Owner) (bool, error)
	// Bound returns the account with a verified address; "" for none. Until the
	// transaction ends, it prevents binding the address to that account, and its
	// deletion.
	Bound(ctx context.Context, address email.Address) (user.ID, error)
	// Revoke revokes the licences of an account or workspace that is being deleted.
	Revoke(ctx context.Context, one licence.Owner) error
	// Cancel schedules the cancellation of the subscriptions of an account or workspace
	// that is being deleted.
	Cancel(ctx context.Context, one licence.Owner) error
}

// LicenceDirectory reads licences, outside any transaction.
type LicenceDirectory interface {
	// Find returns a licence. It fails with licence.ErrNotFound.
	Find(ctx context.Context, id licence.ID) (licence.Snapshot, error)
	// Key returns the key of a licence; "" if it is not stored.
	Key(ctx context.Context, id licence.ID) (secret.Shown, error)
	// List returns the licences that match, newest first.
	List(ctx context.Context, query LicenceQuery) ([]licence.Snapshot, error)
	// Left returns the transfers of a licence away from machines whose offline files
	// are still valid.
	Left(ctx context.Context, id licence.ID, now time.Time) ([]licence.Transfer, error)
	// Standing returns everything needed to validate a key and the machine with a
	// fingerprint ("" for none). Concurrent calls share one statement, and unknown keys
	// take the same time. It fails with licence.ErrNotFound.
	Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (licence.Standing, error)
}

// LicenceQuery narrows a list of licences; zero values do not narrow.
type LicenceQuery struct {
	Product product.ID
	User    user.ID
	// Issuer and Owned select licences issued by a workspace, or owned by a person or a
	// workspace; any of them suffices.
	Issuer        workspace.ID
	Owned         licence.Owner
	Status        licence.Status
	ExpiresBefore time.Time
	// Now is the time for the expiry status.
	Now time.Time
	// Before is the last ID of the previous page.
	Before licence.ID
	Limit  int
}

// Machines stores the machines of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Machines interface {
	// ByID returns a machine. It fails with licence.ErrNoMachine.
	ByID(ctx context.Context, id licence.MachineID) (*licence.Machine, error)
	// ByFingerprint is like ByID, by the fingerprint.
	ByFingerprint(ctx context.Context, of licence.ID, fingerprint licence.Fingerprint) (*licence.Machine, error)
	// Alive returns the number of machines of a licence that have not lapsed.
	Alive(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Save(ctx context.Context, m *licence.Machine) error
	Delete(ctx context.Context, m *licence.Machine) error
}

// Heartbeats records heartbeats of machines; concurrent calls share one statement.
type Heartbeats interface {
	// Beat records the heartbeat of a registered machine, with a valid key of an active
	// licence. It reports whether it did; all other cases need a unit of work. until is
	// when the machine lapses; zero for never.
	Beat(ctx context.Context, canonical string, machine licence.Fingerprint) (until time.Time, noted bool, err error)
}

// MachineDirectory reads machines, outside any transaction.
type MachineDirectory interface {
	// List returns the machines that match, newest first.
	List(ctx context.Context, query MachineQuery) ([]licence.MachineSnapshot, error)
}

// MachineQuery narrows a list of machines; zero values do not narrow.
type MachineQuery struct {
	Licence licence.ID
	// Lapsed selects machines that have lapsed by Now, or have not.
	Lapsed *bool
	Now    time.Time
	// Before is the last ID of the previous page.
	Before licence.MachineID
	Limit  int
}
