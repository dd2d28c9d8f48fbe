package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/login"
	"gatehouse.internal/ports/outbound"
)

const (
	// purgeBatch is how many rows are removed at once: few enough that nobody waits
	// for it.
	purgeBatch = 500
	// manyBatch is that of narrow rows of which each request may leave one.
	manyBatch = 2000
)

const (
	// bindingLife is how long a DPoP binding is kept after it expired.
	bindingLife = 30 * 24 * time.Hour
	// tokenLife is the longest life of an M2M token, with an hour for clocks that
	// disagree about when it began.
	tokenLife = 24*time.Hour + time.Hour
)

// purge says which rows of a table are due, in the order of an index.
type purge struct {
	table, key, order string
	due               string
	until             []any
	most              int
}

// purgeOf gives what there is to remove of a kind; false when nothing of it expires.
func purgeOf(kind outbound.PurgeKind, now time.Time) (purge, bool) {
	expired := func(table, key, column string, until any, most int) (purge, bool) {
		return purge{table, key, column, column + " <= ?", []any{until}, most}, true
	}
	switch kind {
	case outbound.PurgeSessions:
		return expired("sessions", "id", "purge_at", at(now), purgeBatch)
	case outbound.PurgeLimits:
		return expired("rate_limits", "key", "expires_at", at(now), purgeBatch)
	case outbound.PurgeAnswers:
		return expired("idempotency", "key", "expires_at", at(now), purgeBatch)
	case outbound.PurgeLoginFailures:
		return expired("login_failures", "minute", "minute", minuteOf(now)-login.KeptMinutes, purgeBatch)
	case outbound.PurgeAPIKeys:
		return expired("api_keys", "id", "purge_at", at(now), purgeBatch)
	case outbound.PurgeKeySecrets:
		return expired("api_key_secrets", "digest", "expires_at", at(now), purgeBatch)
	case outbound.PurgeBindings:
		return expired("dpop_bindings", "id", "expires_at", at(now.Add(-bindingLife)), purgeBatch)
	case outbound.PurgeChallenges:
		return expired("challenges", "digest", "expires_at", at(now), purgeBatch)
	case outbound.PurgeDevices:
		return expired("devices", "id", "expires_at", at(now), purgeBatch)
	case outbound.PurgeMails:
		return expired("mails", "id", "purge_at", at(now), purgeBatch)
	case outbound.PurgeNotifications:
		return expired("notifications", "id", "purge_at", at(now), purgeBatch)
	case outbound.PurgeProofs:
		return expired("dpop_proofs", "key", "expires_at", at(now), manyBatch)
	case outbound.PurgeM2MTokens:
		// The identifiers that old are found by the primary key.
		until := []any{earliestUUID(now.Add(-tokenLife)), at(now)}
		return purge{"m2m_tokens", "jti", "jti", "jti < ? AND expires_at <= ?", until, manyBatch}, true
	}
	return purge{}, false
}

// earliestUUID gives the beginning of the UUIDv7 that are minted in the
// millisecond of a moment, which sorts before all of them (RFC 9562 section 5.7).
func earliestUUID(moment time.Time) string {
	const low = 16
	millis := max(0, moment.UnixMilli())
	return fmt.Sprintf("%08x-%04x", millis>>low, millis&(1<<low-1))
}

// Purge removes what expired until now. Replicas that purge at once take other rows.
func (u upkeep) Purge(ctx context.Context, kind outbound.PurgeKind, now time.Time) (int, error) {
	p, known := purgeOf(kind, now)
	if !known {
		return 0, fmt.Errorf("nothing to purge is called %q", kind)
	}
	remove := batchOf(p.key, p.table+" WHERE "+p.due+" ORDER BY "+p.order) +
		"DELETE FROM " + p.table + " WHERE " + p.key + " IN (SELECT " + p.key + " FROM batch) RETURNING " + p.key
	var gone []string
	err := u.store.transact(ctx, func(tx *Tx) error {
		gone = nil
		err := tx.q.list(ctx, &gone, remove, append(p.until, p.most)...)
		if err != nil || kind != outbound.PurgeAPIKeys || len(gone) == 0 {
			return err
		}
		_, err = tx.q.exec(ctx, `DELETE FROM last_uses WHERE subject {any subject text}`, column(gone))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", kind, err)
	}
	return len(gone), nil
}
