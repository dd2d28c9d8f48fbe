package ops

import (
	"context"
	"encoding/base64"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/ops"
)

// ringID is the key of the only row of key_ring.
const ringID = 1

// KeyRing returns the repository of the signing keys.
func KeyRing(tx *sqlstore.Tx) ops.KeyRing { return keyRing{tx} }

type keyRing struct{ tx *sqlstore.Tx }

// keyRow is a signing key as it is stored; the private part is sealed.
type keyRow struct {
	KID          string               `db:"kid"`
	Algorithm    signingkey.Algorithm `db:"algorithm"`
	Private      string               `db:"private"`
	CreatedAt    sqlstore.Instant     `db:"created_at"`
	ActivatedAt  sqlstore.Instant     `db:"activated_at"`
	OverlapUntil sqlstore.Instant     `db:"overlap_until"`
	RevokedAt    sqlstore.Instant     `db:"revoked_at"`
}

// ringRow is the ring without its keys.
type ringRow struct {
	EveryDays    int                  `db:"every_days"`
	Algorithm    signingkey.Algorithm `db:"algorithm"`
	OverlapHours int                  `db:"overlap_hours"`
	RotateAt     sqlstore.Instant     `db:"rotate_at"`
	Signs        signingkey.Algorithm `db:"signs"`
	Version      int64                `db:"version"`
}

// Load reads the ring under a lock of its row, so that the keys are those of its version; nil before
// the first start.
func (r keyRing) Load(ctx context.Context) (*signingkey.Ring, error) {
	var found []ringRow
	err := r.tx.List(ctx, &found, `
		SELECT every_days, algorithm, overlap_hours, rotate_at, signs, version FROM key_ring WHERE id = ? {for update}`, ringID)
	if err != nil {
		return nil, fmt.Errorf("read the key ring: %w", err)
	}
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // The port says so: there is no ring before the first start.
	}
	var keys []keyRow
	err = r.tx.List(ctx, &keys, `
		SELECT kid, algorithm, private, created_at, activated_at, overlap_until, revoked_at FROM signing_keys ORDER BY place`)
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	return openRing(r.tx.Store(), &found[0], keys)
}

// openRing decrypts the keys of a ring. It fails with ops.ErrSigningKey.
func openRing(store *sqlstore.Store, ring *ringRow, keys []keyRow) (*signingkey.Ring, error) {
	snapshot := signingkey.Snapshot{
		Schedule: signingkey.Schedule{EveryDays: ring.EveryDays, Algorithm: ring.Algorithm, OverlapHours: ring.OverlapHours},
		RotateAt: ring.RotateAt.Time, Signs: ring.Signs,
	}
	for _, k := range keys {
		private, err := openKey(store, k.KID, k.Private)
		if err != nil {
			return nil, err
		}
		snapshot.Keys = append(snapshot.Keys, signingkey.Key{
			KID: k.KID, Algorithm: k.Algorithm, Private: private,
			CreatedAt: k.CreatedAt.Time, ActivatedAt: k.ActivatedAt.Time,
			OverlapUntil: k.OverlapUntil.Time, RevokedAt: k.RevokedAt.Time,
		})
	}
	return signingkey.Restore(snapshot, ring.Version), nil
}

func openKey(store *sqlstore.Store, kid, sealed string) ([]byte, error) {
	encoded, err := store.Secrets().Open(sealed, sqlstore.Place("signing_keys", "private", kid))
	if err != nil {
		return nil, fmt.Errorf("%w (kid %s: %w)", ops.ErrSigningKey, kid, err)
	}
	private, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("%w (kid %s)", ops.ErrSigningKey, kid)
	}
	return private, nil
}

// Save stores the ring, and replaces the stored keys by its keys.
func (r keyRing) Save(ctx context.Context, ring *signingkey.Ring) error {
	if err := moveRevision(ctx, r.tx); err != nil {
		return err
	}
	snapshot := ring.Snapshot()
	n, err := r.tx.Write(ctx, "key_ring", sqlstore.Row{{"id", ringID}}, sqlstore.Row{
		{"every_days", snapshot.Schedule.EveryDays},
		{"algorithm", string(snapshot.Schedule.Algorithm)},
		{"overlap_hours", snapshot.Schedule.OverlapHours},
		{"rotate_at", sqlstore.At(snapshot.RotateAt)},
		{"signs", string(snapshot.Signs)},
	}, ring.Version())
	if err != nil {
		return fmt.Errorf("save the key ring: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	if err := r.replaceKeys(ctx, snapshot.Keys); err != nil {
		return err
	}
	return r.tx.RecordOf(ctx, ring)
}

// replaceKeys deletes all keys, and stores those of the ring.
func (r keyRing) replaceKeys(ctx context.Context, keys []signingkey.Key) error {
	stored := make(sqlstore.Rows, len(keys))
	for i, k := range keys {
		sealed := r.tx.Store().Secrets().Seal(base64.StdEncoding.EncodeToString(k.Private), sqlstore.Place("signing_keys", "private", k.KID))
		stored[i] = []any{
			k.KID, i, string(k.Algorithm), sealed,
			sqlstore.At(k.CreatedAt), sqlstore.At(k.ActivatedAt), sqlstore.At(k.OverlapUntil), sqlstore.At(k.RevokedAt),
		}
	}
	if _, err := r.tx.Exec(ctx, `DELETE FROM signing_keys`); err != nil {
		return fmt.Errorf("replace the signing keys: %w", err)
	}
	_, err := r.tx.Exec(ctx, `
		INSERT INTO signing_keys (kid, place, algorithm, private, created_at, activated_at, overlap_until, revoked_at)
		SELECT r.kid, r.place, r.algorithm, r.private, r.created_at, r.activated_at, r.overlap_until, r.revoked_at
		FROM {rows kid text, place bigint, algorithm text, private text,
			created_at time, activated_at time, overlap_until time, revoked_at time}`, stored)
	if err != nil {
		return fmt.Errorf("store the signing keys: %w", err)
	}
	return nil
}
