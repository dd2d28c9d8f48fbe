package delegation

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/delegation"
)

const deviceColumns = `d.id, d.app_id, d.code, d.user_code, d.scopes, d.resource, d.nonce, d.ip, d.user_agent, d.created_at, d.expires_at,
	d.interval_seconds, d.polled_at, d.decision, d.decided_at, COALESCE(d.user_id, '') AS user_id, d.grant_id, d.version`

// deviceRow is a device authorization (RFC 8628) as it is stored. The parameters and the origin of the request
// are sealed.
type deviceRow struct {
	ID              oauth.DeviceID   `db:"id"`
	AppID           app.ID           `db:"app_id"`
	Code            oauth.Digest     `db:"code"`
	UserCode        oauth.Digest     `db:"user_code"`
	Scopes          string           `db:"scopes"`
	Resource        string           `db:"resource"`
	Nonce           string           `db:"nonce"`
	IP              string           `db:"ip"`
	UserAgent       string           `db:"user_agent"`
	CreatedAt       sqlstore.Instant `db:"created_at"`
	ExpiresAt       sqlstore.Instant `db:"expires_at"`
	IntervalSeconds int64            `db:"interval_seconds"`
	PolledAt        sqlstore.Instant `db:"polled_at"`
	Decision        oauth.Decision   `db:"decision"`
	DecidedAt       sqlstore.Instant `db:"decided_at"`
	UserID          user.ID          `db:"user_id"`
	GrantID         oauth.GrantID    `db:"grant_id"`
	Version         int64            `db:"version"`
}

func (r *deviceRow) snapshot(store *sqlstore.Store) (oauth.DeviceSnapshot, error) {
	open := store.RowOpener("oauth_devices", r.ID.String())
	nonce, ip, userAgent := open.Value("nonce", r.Nonce), open.Value("ip", r.IP), open.Value("user_agent", r.UserAgent)
	encoded, resource := open.Value("scopes", r.Scopes), open.Value("resource", r.Resource)
	if open.Err != nil {
		return oauth.DeviceSnapshot{}, fmt.Errorf("open the device %s: %w", r.ID, open.Err)
	}
	scopes, err := sqlstore.DecodeList[string](encoded)
	if err != nil {
		return oauth.DeviceSnapshot{}, fmt.Errorf("decode the device %s: %w", r.ID, err)
	}
	return oauth.DeviceSnapshot{
		ID: r.ID,
		DeviceRequest: oauth.DeviceRequest{
			AppID: r.AppID, Code: r.Code, User: r.UserCode, Scopes: scopes, Resource: resource, Nonce: nonce, IP: ip, UserAgent: userAgent,
		},
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		Interval: time.Duration(r.IntervalSeconds) * time.Second, PolledAt: r.PolledAt.Time,
		Decision: r.Decision, DecidedAt: r.DecidedAt.Time, UserID: r.UserID, GrantID: r.GrantID,
	}, nil
}

// Devices returns the repository of device authorizations (RFC 8628).
func Devices(tx *sqlstore.Tx) delegation.Devices { return devices{tx} }

type devices struct{ tx *sqlstore.Tx }

// ByID reads one device authorization. It fails with oauth.ErrDeviceCode.
func (r devices) ByID(ctx context.Context, id oauth.DeviceID) (*oauth.Device, error) {
	var found deviceRow
	err := r.tx.One(ctx, &found, oauth.ErrDeviceCode, `SELECT `+deviceColumns+` FROM oauth_devices d WHERE d.id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	snapshot, err := found.snapshot(r.tx.Store())
	if err != nil {
		return nil, err
	}
	return oauth.RestoreDevice(snapshot, found.Version), nil
}

// Save stores a device authorization.
func (r devices) Save(ctx context.Context, d *oauth.Device) error {
	s := d.Snapshot()
	scopes, err := sqlstore.EncodeList(s.Scopes)
	if err != nil {
		return fmt.Errorf("encode the device %s: %w", s.ID, err)
	}
	seal := r.tx.Store().RowSealer("oauth_devices", s.ID.String())
	return r.tx.Save(ctx, "oauth_devices", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"app_id", s.AppID.String()},
		{"code", string(s.Code)},
		{"user_code", string(s.User)},
		{"scopes", seal("scopes", scopes)},
		{"resource", seal("resource", s.Resource)},
		{"nonce", seal("nonce", s.Nonce)},
		{"ip", seal("ip", s.IP)},
		{"user_agent", seal("user_agent", s.UserAgent)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"interval_seconds", int64(s.Interval / time.Second)},
		{"polled_at", sqlstore.At(s.PolledAt)},
		{"decision", string(s.Decision)},
		{"decided_at", sqlstore.At(s.DecidedAt)},
		{"user_id", sqlstore.Optional(s.UserID.String())},
		{"grant_id", s.GrantID.String()},
		{"purge_at", sqlstore.At(s.PurgeAt())},
	}, d)
}

// DeviceDirectory returns the directory of device authorizations.
func DeviceDirectory(store *sqlstore.Store) delegation.DeviceDirectory { return deviceDirectory{store} }

type deviceDirectory struct{ store *sqlstore.Store }

// ByUserCode reads the device authorization of a user code, with the slug of its app. It fails with
// oauth.ErrUserCode.
func (d deviceDirectory) ByUserCode(ctx context.Context, code oauth.Digest) (delegation.ListedDevice, error) {
	var found struct {
		deviceRow

		Slug string `db:"slug"`
	}
	err := d.store.Reader(ctx).One(ctx, &found, oauth.ErrUserCode, `SELECT `+deviceColumns+`, a.slug FROM oauth_devices d JOIN apps a ON a.id = d.app_id WHERE d.user_code = ?`,
		string(code))
	if err != nil {
		return delegation.ListedDevice{}, err
	}
	snapshot, err := found.snapshot(d.store)
	return delegation.ListedDevice{DeviceSnapshot: snapshot, Slug: found.Slug}, err
}
