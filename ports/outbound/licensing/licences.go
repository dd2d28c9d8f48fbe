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
	// ByID reads a licence, and holds off whoever else would change it, or what hangs on
	// it, until the transaction ends. It fails with licence.ErrNotFound.
	ByID(ctx context.Context, id licence.ID) (*licence.Licence, error)
	// ByKey is ByID by the canonical text of a key that works now.
	ByKey(ctx context.Context, canonical string, now time.Time) (*licence.Licence, error)
	Save(ctx context.Context, l *licence.Licence) error
	// AddKey stores one more key of a licence.
	AddKey(ctx context.Context, id licence.ID, canonical string) error
	// Seen notes that a licence was validated, which is no change of it.
	Seen(ctx context.Context, id licence.ID, now time.Time) error
	// EndKeys lets all keys of a licence end, unless they end before.
	EndKeys(ctx context.Context, id licence.ID, at time.Time) error
}

// Owners are whom licences may belong to, inside a unit of work.
type Owners interface {
	// Hold reports whether an account or workspace is there, and holds off its deletion
	// until the transaction ends. Nobody is always there.
	Hold(ctx context.Context, one licence.Owner) (bool, error)
	// Bound returns the account that an address is bound to, "" for none. It holds off who
	// would bind it to the account that has it, or delete that, until the transaction ends.
	Bound(ctx context.Context, address email.Address) (user.ID, error)
	// Revoke revokes the licences of an account or workspace that is about to go.
	Revoke(ctx context.Context, one licence.Owner) error
	// Cancel intends to have the subscriptions ended that an account or workspace bought,
	// which is about to go.
	Cancel(ctx context.Context, one licence.Owner) error
}

// LicenceDirectory reads licences, outside any transaction.
type LicenceDirectory interface {
	// Find fails with licence.ErrNotFound.
	Find(ctx context.Context, id licence.ID) (licence.Snapshot, error)
	// Key returns the text of the key of a licence; "" where it is not kept.
	Key(ctx context.Context, id licence.ID) (secret.Shown, error)
	// List returns the licences that match, newest first.
	List(ctx context.Context, query LicenceQuery) ([]licence.Snapshot, error)
	// Left returns the moves of a licence away from machines whose offline files have not
	// ended.
	Left(ctx context.Context, id licence.ID, now time.Time) ([]licence.Transfer, error)
	// Standing reads what decides over a key that works now, in one statement for all that
	// ask at the same time, whether there is such a key or not; fingerprint is that of the machine which asks, "" for none. It fails with
	// licence.ErrNotFound.
	Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (licence.Standing, error)
}

// LicenceQuery narrows a list of licences; zero values do not narrow.
type LicenceQuery struct {
	Product product.ID
	User    user.ID
	// Issuer and Owned narrow to those that a workspace issued, or whose owner is a person or
	// a workspace: any of these.
	Issuer        workspace.ID
	Owned         licence.Owner
	Status        licence.Status
	ExpiresBefore time.Time
	// Now is by what it is judged whether a licence expired.
	Now time.Time
	// Before is the last id of the page before.
	Before licence.ID
	Limit  int
}

// Machines stores the machines of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Machines interface {
	// ByID fails with licence.ErrNoMachine.
	ByID(ctx context.Context, id licence.MachineID) (*licence.Machine, error)
	// ByFingerprint is ByID by what a licence knows it by.
	ByFingerprint(ctx context.Context, of licence.ID, fingerprint licence.Fingerprint) (*licence.Machine, error)
	// Alive counts the machines of a licence that have not lapsed.
	Alive(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Save(ctx context.Context, m *licence.Machine) error
	Delete(ctx context.Context, m *licence.Machine) error
}

// Heartbeats notes signs of life of machines, each together with those that come at the same
// time.
type Heartbeats interface {
	// Beat notes one of a machine that keeps its place for a while, by a key that works now of
	// a licence that holds. It reports whether it did; anything else is for a unit of work.
	// until is when the machine lapses; zero for never.
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
	// Lapsed narrows to those that have lapsed by Now, or have not.
	Lapsed *bool
	Now    time.Time
	// Before is the last id of the page before.
	Before licence.MachineID
	Limit  int
}
