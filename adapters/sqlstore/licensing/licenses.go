package licensing

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Licenses returns the repository of licenses.
func Licenses(tx *sqlstore.Tx) licensing.Licenses { return licenses{tx} }

type licenses struct{ tx *sqlstore.Tx }

const licenseColumns = `id, org_id, product_id, policy_id, terms, overrides, user_id, owner_org_id, status, reason, activated_at, expires_at,
	last_seen_at, metadata, created_at, updated_at, version`

type licenseRow struct {
	ID          license.ID       `db:"id"`
	OrgID       workspace.ID     `db:"org_id"`
	ProductID   product.ID       `db:"product_id"`
	PolicyID    sql.NullString   `db:"policy_id"`
	Terms       string           `db:"terms"`
	Overrides   string           `db:"overrides"`
	UserID      sql.NullString   `db:"user_id"`
	OwnerOrgID  sql.NullString   `db:"owner_org_id"`
	Status      license.Status   `db:"status"`
	Reason      string           `db:"reason"`
	ActivatedAt sqlstore.Instant `db:"activated_at"`
	ExpiresAt   sqlstore.Instant `db:"expires_at"`
	LastSeenAt  sqlstore.Instant `db:"last_seen_at"`
	Metadata    string           `db:"metadata"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	UpdatedAt   sqlstore.Instant `db:"updated_at"`
	Version     int64            `db:"version"`
}

func (r *licenseRow) snapshot(store *sqlstore.Store) (license.Snapshot, error) {
	open := store.RowOpener("licenses", r.ID.String())
	s := license.Snapshot{
		ID: r.ID, OrgID: r.OrgID, ProductID: r.ProductID, PolicyID: product.PolicyID(r.PolicyID.String),
		Owner:  license.Owner{UserID: user.ID(r.UserID.String), OrgID: workspace.ID(r.OwnerOrgID.String)},
		Status: r.Status, Reason: open.Value("reason", r.Reason), ActivatedAt: r.ActivatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		LastSeenAt: r.LastSeenAt.Time, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	err := errors.Join(
		decode(r.Terms, &s.Terms), decode(r.Overrides, &s.Overrides), decode(open.Value("metadata", r.Metadata), &s.Metadata), open.Err,
	)
	if err != nil {
		return s, fmt.Errorf("decode the license %s: %w", r.ID, err)
	}
	return s, nil
}

// one reads the license that a condition selects, under a lock of its row. It fails with
// license.ErrNotFound.
func (r licenses) one(ctx context.Context, clause string, args ...any) (*license.License, error) {
	var found licenseRow
	err := r.tx.One(ctx, &found, license.ErrNotFound, `SELECT `+licenseColumns+` FROM licenses WHERE `+live+` AND `+clause+` {for update}`, args...)
	if err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return license.Restore(s, found.Version), err
}

// ByID reads one license under a lock of its row. It fails with license.ErrNotFound.
func (r licenses) ByID(ctx context.Context, id license.ID) (*license.License, error) {
	return r.one(ctx, `id = ?`, id.String())
}

// ByKey reads the license of a key that has not ended, under a lock of its row. It fails with
// license.ErrNotFound.
func (r licenses) ByKey(ctx context.Context, canonical string, now time.Time) (*license.License, error) {
	return r.one(ctx, `id IN (SELECT k.license_id FROM license_keys k WHERE k.digest = ? AND (k.ends_at IS NULL OR k.ends_at > ?))`,
		r.tx.Store().Index(label.LicenseKey, canonical), sqlstore.At(now))
}

// Save stores a license.
func (r licenses) Save(ctx context.Context, l *license.License) error {
	s := l.Snapshot()
	seal := r.tx.Store().RowSealer("licenses", s.ID.String())
	terms, err := encode(s.Terms)
	metadata, err2 := encode(s.Metadata)
	overrides, err3 := sqlstore.EncodeList(s.Overrides)
	if err := errors.Join(err, err2, err3); err != nil {
		return fmt.Errorf("encode a license: %w", err)
	}
	return r.tx.Save(ctx, "licenses", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"product_id", s.ProductID.String()},
		{"policy_id", sqlstore.Optional(s.PolicyID.String())},
		{"terms", terms},
		{"overrides", overrides},
		{"user_id", sqlstore.Optional(s.Owner.UserID.String())},
		{"owner_org_id", sqlstore.Optional(s.Owner.OrgID.String())},
		{"status", string(s.Status)},
		{"reason", seal("reason", s.Reason)},
		{"activated_at", sqlstore.At(s.ActivatedAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"ends_at", sqlstore.At(s.Ends())},
		{"metadata", seal("metadata", metadata)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, l)
}

// RecordValidation stores when a license was validated last.
func (r licenses) RecordValidation(ctx context.Context, id license.ID, now time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE licenses SET last_seen_at = ? WHERE id = ? AND (last_seen_at IS NULL OR last_seen_at < ?)`,
		sqlstore.At(now), id.String(), sqlstore.At(now))
	if err != nil {
		return fmt.Errorf("store when a license was validated: %w", err)
	}
	return nil
}

// AddKey stores the digest of a key, and the key itself if it can be sealed.
func (r licenses) AddKey(ctx context.Context, id license.ID, canonical string) error {
	store, kept := r.tx.Store(), ""
	digest := store.Index(label.LicenseKey, canonical)
	if !store.InClear() {
		kept = store.RowSealer("license_keys", digest)("key", canonical)
	}
	_, err := r.tx.Exec(ctx, `INSERT INTO license_keys (digest, license_id, key) VALUES (?, ?, ?)`, digest, id.String(), kept)
	if err != nil {
		return fmt.Errorf("add a key to a license: %w", err)
	}
	return nil
}

// EndKeys sets the end of all keys of a license that do not end earlier.
func (r licenses) EndKeys(ctx context.Context, id license.ID, at time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE license_keys SET ends_at = ? WHERE license_id = ? AND (ends_at IS NULL OR ends_at > ?)`,
		sqlstore.At(at), id.String(), sqlstore.At(at))
	if err != nil {
		return fmt.Errorf("end the keys of a license: %w", err)
	}
	return nil
}

// LicenseDirectory returns the directory of licenses.
func LicenseDirectory(store *sqlstore.Store) licensing.LicenseDirectory {
	return licenseDirectory{store, newStandings(store)}
}

type licenseDirectory struct {
	store     *sqlstore.Store
	standings *standings
}

// Find reads one license. It fails with license.ErrNotFound.
func (d licenseDirectory) Find(ctx context.Context, id license.ID) (license.Snapshot, error) {
	var found licenseRow
	err := d.store.Reader(ctx).One(ctx, &found, license.ErrNotFound, `SELECT `+licenseColumns+` FROM licenses WHERE `+live+` AND id = ?`, id.String())
	if err != nil {
		return license.Snapshot{}, err
	}
	return found.snapshot(d.store)
}

// Key decrypts the key of a license that has no end; "" if the key was not stored.
func (d licenseDirectory) Key(ctx context.Context, id license.ID) (secret.Shown, error) {
	var found []struct {
		Digest string `db:"digest"`
		Key    string `db:"key"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT digest, key FROM license_keys WHERE license_id = ? AND ends_at IS NULL`, id.String())
	if err != nil {
		return "", fmt.Errorf("read the key of a license: %w", err)
	}
	if len(found) == 0 || found[0].Key == "" {
		return "", nil
	}
	open := d.store.RowOpener("license_keys", found[0].Digest)
	canonical := open.Value("key", found[0].Key)
	return secret.Shown(license.Shown(canonical)), open.Err
}

// List returns licenses, newest first.
func (d licenseDirectory) List(ctx context.Context, query licensing.LicenseQuery) ([]license.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Product == "", "product_id = ?", query.Product.String())
	f.Unless(query.User == "", "user_id = ?", query.User.String())
	f.Where(live)
	f.Where("(org_id = ? OR user_id = ? OR owner_org_id = ?)", query.Issuer.String(), query.Owned.UserID.String(), query.Owned.OrgID.String())
	f.Unless(query.ExpiresBefore.IsZero(), "expires_at < ?", sqlstore.At(query.ExpiresBefore))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	d.state(f, query)
	var found []licenseRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+licenseColumns+` FROM licenses`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list licenses: %w", err)
	}
	return sqlstore.Map(found, func(r *licenseRow) (license.Snapshot, error) { return r.snapshot(d.store) })
}

// state adds the condition on a status at the time of the query.
func (licenseDirectory) state(f *sqlstore.Filter, query licensing.LicenseQuery) {
	now := sqlstore.At(query.Now)
	switch query.Status {
	case "":
	case license.Active:
		f.Where("status = 'active' AND (ends_at IS NULL OR ends_at > ?)", now)
	case license.Expired:
		f.Where("status = 'active' AND ends_at <= ?", now)
	default:
		f.Where("status = ?", string(query.Status))
	}
}
