package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// IssuedTokens ends tokens of apps.
func (t *Tx) IssuedTokens() outbound.IssuedTokens { return issuedTokens{t} }

type issuedTokens struct{ tx *Tx }

// Revoke ends one token, once.
func (r issuedTokens) Revoke(ctx context.Context, jti string, now time.Time) (m2m.Ended, error) {
	var found struct {
		App app.ID         `db:"app_id"`
		Org sql.NullString `db:"org_id"`
	}
	err := r.tx.q.get(ctx, &found, `SELECT t.app_id, a.org_id FROM m2m_tokens t LEFT JOIN apps a ON a.id = t.app_id WHERE t.jti = ?`, jti)
	if errors.Is(err, sql.ErrNoRows) {
		return m2m.Ended{}, m2m.ErrNotFound
	}
	if err != nil {
		return m2m.Ended{}, fmt.Errorf("find an M2M token: %w", err)
	}
	ended, err := r.tx.q.exec(ctx, `UPDATE m2m_tokens SET revoked_at = ? WHERE jti = ? AND revoked_at IS NULL`, at(now), jti)
	if err != nil {
		return m2m.Ended{}, fmt.Errorf("revoke an M2M token: %w", err)
	}
	return m2m.Ended{App: found.App, Org: workspace.ID(found.Org.String), Already: ended == 0}, nil
}

// RevokeAll moves the time on before which the app's tokens have ended. The app is
// held meanwhile, so that of two that revoke each counts other tokens. Tokens whose
// identifiers are older than any may live are not read: they have expired.
func (r issuedTokens) RevokeAll(ctx context.Context, of app.ID, before, now time.Time) (int, error) {
	var ended instant
	err := r.tx.q.get(ctx, &ended, `SELECT revoked_before FROM apps WHERE id = ? {for update}`, of.String())
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
	err = r.tx.q.get(ctx, &count, `SELECT COUNT(*) FROM m2m_tokens
		WHERE app_id = ? AND jti >= ? AND issued_at < ? AND issued_at >= ? AND expires_at > ? AND revoked_at IS NULL`,
		of.String(), earliestUUID(now.Add(-tokenLife)), at(before), at(since), at(now))
	if err != nil {
		return 0, fmt.Errorf("count the tokens of an app: %w", err)
	}
	if _, err := r.tx.q.exec(ctx, `UPDATE apps SET revoked_before = ? WHERE id = ?`, at(before), of.String()); err != nil {
		return 0, fmt.Errorf("revoke the tokens of an app: %w", err)
	}
	return count, nil
}

// beyond is a time that no token of the app was issued at or after, at least now.
func (r issuedTokens) beyond(ctx context.Context, of app.ID, now time.Time) (time.Time, error) {
	var last instant
	err := r.tx.q.get(ctx, &last, `SELECT MAX(issued_at) FROM m2m_tokens WHERE app_id = ? AND jti >= ?`,
		of.String(), earliestUUID(now.Add(-tokenLife)))
	if err != nil {
		return time.Time{}, fmt.Errorf("find the last token of an app: %w", err)
	}
	if last.Before(now) {
		return now, nil
	}
	return last.Add(time.Microsecond), nil
}
