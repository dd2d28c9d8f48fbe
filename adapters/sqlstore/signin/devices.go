package signin

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// deviceColumns are the columns of a deviceRow.
const deviceColumns = `id, user_id, digest, name, ip, user_agent, created_at, last_used_at, expires_at, version`

// heldDevices selects the devices of a user that have not expired.
const heldDevices = `SELECT ` + deviceColumns + ` FROM devices WHERE user_id = ? AND expires_at > ? ORDER BY id DESC`

// deviceRow is a remembered device as it is stored; name, address and user agent are
// sealed.
type deviceRow struct {
	ID         device.ID        `db:"id"`
	UserID     user.ID          `db:"user_id"`
	Digest     string           `db:"digest"`
	Name       string           `db:"name"`
	IP         string           `db:"ip"`
	UserAgent  string           `db:"user_agent"`
	CreatedAt  sqlstore.Instant `db:"created_at"`
	LastUsedAt sqlstore.Instant `db:"last_used_at"`
	ExpiresAt  sqlstore.Instant `db:"expires_at"`
	Version    int64            `db:"version"`
}

// deviceSnapshot opens a stored device.
func deviceSnapshot(store *sqlstore.Store, r *deviceRow) (device.Snapshot, error) {
	open := store.RowOpener("devices", r.ID.String())
	s := device.Snapshot{
		ID: r.ID, UserID: r.UserID, Digest: r.Digest, Name: device.Name(open.Value("name", r.Name)),
		IP: open.Value("ip", r.IP), UserAgent: open.Value("user_agent", r.UserAgent),
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}
	if open.Err != nil {
		return device.Snapshot{}, fmt.Errorf("open the device %s: %w", r.ID, open.Err)
	}
	return s, nil
}

// Devices returns the devices that skip the second factor.
func Devices(tx *sqlstore.Tx) signin.Devices { return devices{tx} }

type devices struct{ tx *sqlstore.Tx }

// Recognize marks the device that holds a token as used.
func (r devices) Recognize(ctx context.Context, owner user.ID, digest string, after, now time.Time) (bool, error) {
	n, err := r.tx.Exec(ctx, `UPDATE devices SET last_used_at = ? WHERE digest = ? AND user_id = ? AND created_at > ? AND expires_at > ?`,
		sqlstore.At(now), digest, owner.String(), sqlstore.At(after), sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("look up a remembered device: %w", err)
	}
	return n > 0, nil
}

// ByID reads one device.
func (r devices) ByID(ctx context.Context, id device.ID) (*device.Device, error) {
	var found deviceRow
	err := r.tx.One(ctx, &found, device.ErrNotFound, `SELECT `+deviceColumns+` FROM devices WHERE id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	return r.restore(&found)
}

func (r devices) restore(found *deviceRow) (*device.Device, error) {
	snapshot, err := deviceSnapshot(r.tx.Store(), found)
	if err != nil {
		return nil, err
	}
	return device.Restore(snapshot, found.Version), nil
}

// Held locks the row of the owner and reads the devices.
func (r devices) Held(ctx context.Context, owner user.ID, now time.Time) ([]*device.Device, error) {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return nil, err
	}
	var found []deviceRow
	if err := r.tx.List(ctx, &found, heldDevices, owner.String(), sqlstore.At(now)); err != nil {
		return nil, fmt.Errorf("list remembered devices: %w", err)
	}
	return sqlstore.Map(found, func(row *deviceRow) (*device.Device, error) { return r.restore(row) })
}

// Save stores a device.
func (r devices) Save(ctx context.Context, d *device.Device) error {
	s := d.Snapshot()
	seal := r.tx.Store().RowSealer("devices", s.ID.String())
	return r.tx.Save(ctx, "devices", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"user_id", s.UserID.String()},
		{"digest", s.Digest},
		{"name", seal("name", string(s.Name))},
		{"ip", seal("ip", s.IP)},
		{"user_agent", seal("user_agent", sqlstore.Printable(s.UserAgent))},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"last_used_at", sqlstore.At(s.LastUsedAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
	}, d)
}

// Remove deletes one device with its events.
func (r devices) Remove(ctx context.Context, d *device.Device) error {
	n, err := r.tx.Exec(ctx, `DELETE FROM devices WHERE id = ?`, d.ID().String())
	if err == nil && n == 0 {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("forget a remembered device: %w", err)
	}
	return r.tx.RecordOf(ctx, d)
}

// RevokeAll deletes the devices of a user under the lock that Held takes. A device that is
// trusted concurrently is either deleted too, or trusted after the change that revokes all.
func (r devices) RevokeAll(ctx context.Context, owner user.ID) error {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, `DELETE FROM devices WHERE user_id = ?`, owner.String()); err != nil {
		return fmt.Errorf("forget all remembered devices of a user: %w", err)
	}
	return nil
}

// DeviceDirectory lists remembered devices for reading.
func DeviceDirectory(store *sqlstore.Store) signin.DeviceDirectory { return deviceDirectory{store} }

type deviceDirectory struct{ store *sqlstore.Store }

// List returns the devices of a user that have not expired.
func (d deviceDirectory) List(ctx context.Context, owner user.ID, now time.Time) ([]device.Snapshot, error) {
	var found []deviceRow
	if err := d.store.Reader(ctx).List(ctx, &found, heldDevices, owner.String(), sqlstore.At(now)); err != nil {
		return nil, fmt.Errorf("list remembered devices: %w", err)
	}
	return sqlstore.Map(found, func(row *deviceRow) (device.Snapshot, error) { return deviceSnapshot(d.store, row) })
}
