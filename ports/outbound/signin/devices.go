package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/user"
)

// Devices stores the devices that skip the second factor, inside a unit of work.
type Devices interface {
	// Recognise reports whether a device of a user that was remembered after a time holds
	// a token of this digest, and notes that it was used.
	Recognise(ctx context.Context, owner user.ID, digest string, after, now time.Time) (bool, error)
	// ByID reads one; it fails with device.ErrNotFound.
	ByID(ctx context.Context, id device.ID) (*device.Device, error)
	// Held returns those of a user that have not ended, newest first, and holds off
	// every other unit that asks the same of the user.
	Held(ctx context.Context, owner user.ID, now time.Time) ([]*device.Device, error)
	Save(ctx context.Context, d *device.Device) error
	// Remove forgets one that its aggregate revoked.
	Remove(ctx context.Context, d *device.Device) error
	// RevokeAll forgets all of a user. It records no event: what makes it necessary
	// is told by an event of its own.
	RevokeAll(ctx context.Context, owner user.ID) error
}

// DeviceDirectory lists remembered devices, outside any transaction.
type DeviceDirectory interface {
	// List returns those of a user that have not ended, newest first.
	List(ctx context.Context, owner user.ID, now time.Time) ([]device.Snapshot, error)
}
