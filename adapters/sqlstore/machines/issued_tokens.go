package machines

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// IssuedTokens ends tokens of apps.
func IssuedTokens(tx *sqlstore.Tx) machines.IssuedTokens { return issuedTokens{tx} }

type issuedTokens struct{ tx *sqlstore.Tx }

// Revoke ends one token, once.
func (r issuedTokens) Revoke(ctx context.Context, jti string, now time.Time) (m2m.Ended, error) {
	var found struct {
		App app.ID         `db:"app_id"`
		Org sql.NullString `db:"org_id"`
	}
	err := r.tx.One(ctx, &found, m2m.ErrNotFound, `SELECT t.app_id, a.org_id FROM m2m_tokens t LEFT JOIN apps a ON a.id = t.app_id WHERE t.jti = ?`, jti)
	if err != nil {
		return m2m.Ended{}, err
	}
	if err := r.tx.HoldOff(ctx, "m2m_tokens", "jti", jti); err != nil {
		return m2m.Ended{}, err
	}
	ended, err := r.tx.Exec(ctx, `UPDATE m2m_tokens SET revoked_at = ? WHERE jti = ? AND revoked_at IS NULL`, sqlstore.At(now), jti)
	if err != nil {
		return m2m.Ended{}, fmt.Errorf("revoke an M2M token: %w", err)
	}
	return m2m.Ended{App: found.App, Org: workspace.ID(found.Org.String), Already: ended == 0}, nil
}

// RevokeAll advances the time before which all tokens of the app are revoked. It locks the app, so
// that concurrent calls do not count the same tokens. Tokens whose identifiers are older than the
// longest lifetime have expired and are not read.
func (r issuedTokens) RevokeAll(ctx context.Context, of app.ID, before, now time.Time) (int, error) {
	var ended sqlstore.Instant
	err := r.tx.Get(ctx, &ended, `SELECT revoked_before FROM apps WHERE id = ? {for update}`, of.String())
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read when the tokens of an app ended: %w", err)
	}
	if !before.Before(now) {
		if before, err = r.beyond(ctx, of, now); err != nil {
			return 0, err
		}
	}
	if !ended.Before(before) {
		return 0, nil
	}
	since := ended.Time
	if since.IsZero() {
		since = time.Unix(0, 0)
	}
	var count int
	err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM m2m_tokens
		WHERE app_id = ? AND jti >= ? AND issued_at < ? AND issued_at >= ? AND expires_at > ? AND revoked_at IS NULL`,
		of.String(), sqlstore.EarliestUUID(now.Add(-ops.TokenLife)), sqlstore.At(before), sqlstore.At(since), sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("count the tokens of an app: %w", err)
	}
	if _, err := r.tx.Exec(ctx, `UPDATE apps SET revoked_before = ? WHERE id = ?`, sqlstore.At(before), of.String()); err != nil {
		return 0, fmt.Errorf("revoke the tokens of an app: %w", err)
	}
	return count, nil
}

// beyond returns a time that no token of the app was issued at or after, at least now.
func (r issuedTokens) beyond(ctx context.Context, of app.ID, now time.Time) (time.Time, error) {
	var last sqlstore.Instant
	err := r.tx.Get(ctx, &last, `SELECT MAX(issued_at) FROM m2m_tokens WHERE app_id = ? AND jti >= ?`,
		of.String(), sqlstore.EarliestUUID(now.Add(-ops.TokenLife)))
	if err != nil {
		return time.Time{}, fmt.Errorf("find the last token of an app: %w", err)
	}
	if last.Before(now) {
		return now, nil
	}
	return last.Add(time.Microsecond), nil
}
