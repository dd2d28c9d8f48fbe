package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/user"
)

// Devices stores remembered devices, which skip the second factor, inside a unit of
// work.
type Devices interface {
	// Recognize reports whether a device of a user remembered after a time has a token
	// with this digest, and records the use.
	Recognize(ctx context.Context, owner user.ID, digest string, after, now time.Time) (bool, error)
	// ByID returns a device. It fails with device.ErrNotFound.
	ByID(ctx context.Context, id device.ID) (*device.Device, error)
	// Held returns the devices of a user that have not expired, newest first. It blocks
	// concurrent calls for the user until the transaction ends.
	Held(ctx context.Context, owner user.ID, now time.Time) ([]*device.Device, error)
	Save(ctx context.Context, d *device.Device) error
	// Remove deletes a revoked device.
	Remove(ctx context.Context, d *device.Device) error
	// RevokeAll deletes all devices of a user. It records no event; the event of its
	// cause suffices.
	RevokeAll(ctx context.Context, owner user.ID) error
}

// DeviceDirectory reads remembered devices, outside any transaction.
type DeviceDirectory interface {
	// List returns the devices of a user that have not expired, newest first.
	List(ctx context.Context, owner user.ID, now time.Time) ([]device.Snapshot, error)
}
