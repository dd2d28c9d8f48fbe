package machines

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// ExpiringAPIKeys returns the queue of API keys that are about to expire.
func ExpiringAPIKeys(tx *sqlstore.Tx) machines.ExpiringAPIKeys { return expiringKeys{tx} }

type expiringKeys struct{ tx *sqlstore.Tx }

// Expiring stores in each key for which end an event was recorded, because an end can be
// changed. A replica that finds the same keys finds them marked.
func (r expiringKeys) Expiring(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error) {
	var ids []string
	err = r.tx.List(ctx, &ids, `SELECT id FROM api_keys
		WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND expires_at > ? AND expires_at <= ? AND (told_expires_at IS NULL OR told_expires_at <> expires_at)
		ORDER BY expires_at LIMIT ?`, sqlstore.At(now), sqlstore.At(now.Add(apikey.Notice)), most)
	if err != nil || len(ids) == 0 {
		return nil, false, sqlstore.Wrap("find API keys that expire soon", err)
	}
	var found []struct {
		ID        apikey.ID        `db:"id"`
		UserID    user.ID          `db:"user_id"`
		OrgID     workspace.ID     `db:"org_id"`
		CreatedAt sqlstore.Instant `db:"created_at"`
		ExpiresAt sqlstore.Instant `db:"expires_at"`
	}
	slices.SortFunc(ids, strings.Compare) // all that change several keys lock them in this order
	err = r.tx.List(ctx, &found, `UPDATE api_keys SET told_expires_at = expires_at
		WHERE id {any id text} AND revoked_at IS NULL AND (told_expires_at IS NULL OR told_expires_at <> expires_at)
		RETURNING id, user_id, org_id, created_at, expires_at`, sqlstore.OneColumn(ids))
	if err != nil {
		return nil, false, fmt.Errorf("mark API keys that expire soon: %w", err)
	}
	for _, one := range found {
		if one.ExpiresAt.Sub(one.CreatedAt.Time) > apikey.Notice {
			events = append(events, apikey.Expiring{KeyID: one.ID, UserID: one.UserID, OrgID: one.OrgID, ExpiresAt: one.ExpiresAt.Time})
		}
	}
	return events, len(ids) == most, nil
}
