package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// deviceColumns are what a deviceRow reads.
const deviceColumns = `id, user_id, digest, name, ip, user_agent, created_at, last_used_at, expires_at, version`

// heldDevices selects those of a user that have not ended.
const heldDevices = `SELECT ` + deviceColumns + ` FROM devices WHERE user_id = ? AND expires_at > ? ORDER BY id DESC`

// deviceRow is a remembered device as it is stored; the address is sealed.
type deviceRow struct {
	ID         device.ID   `db:"id"`
	UserID     user.ID     `db:"user_id"`
	Digest     string      `db:"digest"`
	Name       device.Name `db:"name"`
	IP         string      `db:"ip"`
	UserAgent  string      `db:"user_agent"`
	CreatedAt  instant     `db:"created_at"`
	LastUsedAt instant     `db:"last_used_at"`
	ExpiresAt  instant     `db:"expires_at"`
	Version    int64       `db:"version"`
}

// deviceSnapshot opens a stored device.
func (s *Store) deviceSnapshot(r *deviceRow) (device.Snapshot, error) {
	open := opener{sealer: s.personal, table: "devices", id: r.ID.String()}
	ip := open.value("ip", r.IP)
	if open.err != nil {
		return device.Snapshot{}, fmt.Errorf("open the device %s: %w", r.ID, open.err)
	}
	return device.Snapshot{
		ID: r.ID, UserID: r.UserID, Digest: r.Digest, Name: r.Name, IP: ip, UserAgent: r.UserAgent,
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}, nil
}

// Devices gives the devices that skip the second factor.
func (t *Tx) Devices() outbound.Devices { return devices{t} }

type devices struct{ tx *Tx }

// Recognise marks the device that holds a token as used.
func (r devices) Recognise(ctx context.Context, owner user.ID, digest string, after, now time.Time) (bool, error) {
	n, err := r.tx.q.exec(ctx, `UPDATE devices SET last_used_at = ? WHERE digest = ? AND user_id = ? AND created_at > ? AND expires_at > ?`,
		at(now), digest, owner.String(), at(after), at(now))
	if err != nil {
		return false, fmt.Errorf("look up a remembered device: %w", err)
	}
	return n > 0, nil
}

// ByID reads one device.
func (r devices) ByID(ctx context.Context, id device.ID) (*device.Device, error) {
	var found deviceRow
	err := r.tx.q.get(ctx, &found, `SELECT `+deviceColumns+` FROM devices WHERE id = ?`, id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, device.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a remembered device: %w", err)
	}
	return r.restore(&found)
}

func (r devices) restore(found *deviceRow) (*device.Device, error) {
	snapshot, err := r.tx.store.deviceSnapshot(found)
	if err != nil {
		return nil, err
	}
	return device.Restore(snapshot, found.Version), nil
}

// Held locks the row of the owner and reads the devices.
func (r devices) Held(ctx context.Context, owner user.ID, now time.Time) ([]*device.Device, error) {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return nil, err
	}
	var found []deviceRow
	if err := r.tx.q.list(ctx, &found, heldDevices, owner.String(), at(now)); err != nil {
		return nil, fmt.Errorf("list remembered devices: %w", err)
	}
	held := make([]*device.Device, len(found))
	for i := range found {
		var err error
		if held[i], err = r.restore(&found[i]); err != nil {
			return nil, err
		}
	}
	return held, nil
}

// Save stores a device.
func (r devices) Save(ctx context.Context, d *device.Device) error {
	s := d.Snapshot()
	err := r.tx.save(ctx, "devices", row{{"id", s.ID.String()}}, row{
		{"user_id", s.UserID.String()},
		{"digest", s.Digest},
		{"name", string(s.Name)},
		{"ip", r.tx.store.personal.Seal(s.IP, place("devices", "ip", s.ID.String()))},
		{"user_agent", printable(s.UserAgent)},
		{"created_at", at(s.CreatedAt)},
		{"last_used_at", at(s.LastUsedAt)},
		{"expires_at", at(s.ExpiresAt)},
	}, d)
	if err != nil {
		return fmt.Errorf("save a remembered device: %w", err)
	}
	return nil
}

// Remove deletes one device with its events.
func (r devices) Remove(ctx context.Context, d *device.Device) error {
	n, err := r.tx.q.exec(ctx, `DELETE FROM devices WHERE id = ?`, d.ID().String())
	if err == nil && n == 0 {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("forget a remembered device: %w", err)
	}
	return r.tx.record(ctx, d.Stored())
}

// RevokeAll deletes those of a user, under the lock that Held takes: one that is
// being remembered meanwhile is deleted too, or meets what this came with.
func (r devices) RevokeAll(ctx context.Context, owner user.ID) error {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return err
	}
	if _, err := r.tx.q.exec(ctx, `DELETE FROM devices WHERE user_id = ?`, owner.String()); err != nil {
		return fmt.Errorf("forget all remembered devices of a user: %w", err)
	}
	return nil
}

// DeviceDirectory lists remembered devices for reading.
func (s *Store) DeviceDirectory() outbound.DeviceDirectory { return deviceDirectory{s} }

type deviceDirectory struct{ store *Store }

// List gives those of a user.
func (d deviceDirectory) List(ctx context.Context, owner user.ID, now time.Time) ([]device.Snapshot, error) {
	var found []deviceRow
	if err := d.store.reader(ctx).list(ctx, &found, heldDevices, owner.String(), at(now)); err != nil {
		return nil, fmt.Errorf("list remembered devices: %w", err)
	}
	listed := make([]device.Snapshot, len(found))
	for i := range found {
		var err error
		if listed[i], err = d.store.deviceSnapshot(&found[i]); err != nil {
			return nil, err
		}
	}
	return listed, nil
}
