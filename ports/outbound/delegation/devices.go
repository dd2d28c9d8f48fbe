package delegation

import (
	"context"

	"gatehouse.internal/domain/oauth"
)

// Devices stores pending device authorizations, inside a unit of work.
type Devices interface {
	// ByID returns a device authorization. It fails with oauth.ErrDeviceCode.
	ByID(ctx context.Context, id oauth.DeviceID) (*oauth.Device, error)
	// Save stores a device authorization. It fails with aggregate.ErrConflict if its
	// user code is in use, and with aggregate.ErrBereft if its app no longer exists.
	Save(ctx context.Context, d *oauth.Device) error
}

// DeviceDirectory reads device authorizations, outside any transaction.
type DeviceDirectory interface {
	// ByUserCode returns the device authorization with the digest of a user code, in
	// any state. It fails with oauth.ErrUserCode.
	ByUserCode(ctx context.Context, code oauth.Digest) (ListedDevice, error)
}

// ListedDevice is a device authorization with the client_id of its app.
type ListedDevice struct {
	oauth.DeviceSnapshot

	Slug string
}
