package delegation

import (
	"context"

	"gatehouse.internal/domain/oauth"
)

// Devices stores the devices that wait for their person, inside a unit of work.
type Devices interface {
	// ByID fails with oauth.ErrDeviceCode.
	ByID(ctx context.Context, id oauth.DeviceID) (*oauth.Device, error)
	// Save stores a device. It fails with aggregate.ErrConflict when another one has its
	// user code, and with aggregate.ErrBereft when its app is gone.
	Save(ctx context.Context, d *oauth.Device) error
}

// DeviceDirectory finds devices for reading, outside any transaction.
type DeviceDirectory interface {
	// ByUserCode returns the device of the digest of a user code, whatever became of it. It
	// fails with oauth.ErrUserCode.
	ByUserCode(ctx context.Context, code oauth.Digest) (ListedDevice, error)
}

// ListedDevice is a device with the client_id of its app.
type ListedDevice struct {
	oauth.DeviceSnapshot

	Slug string
}
