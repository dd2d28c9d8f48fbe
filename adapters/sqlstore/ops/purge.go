package ops

import (
	"context"
	"fmt"
	"math"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

const (
	// purgeBatch is how many rows one transaction removes. It is small, because on SQLite all other
	// changes wait for it, for at most 50 ms.
	purgeBatch = 100
	// manyBatch is purgeBatch for tables of narrow rows to which each request may add one.
	manyBatch = 1000
)

const (
	// bindingLife is how long a DPoP binding is kept after it expired.
	bindingLife = 30 * 24 * time.Hour
	// emptyingLife is how long the job that empties a deleted workspace may take. The job is lost only
	// if JWT_SECRET, by which it is sealed, is replaced.
	emptyingLife = 7 * 24 * time.Hour
	// TokenLife is the longest life of an M2M token, and an hour for the difference between clocks.
	TokenLife = 24*time.Hour + time.Hour
)

// purge selects the rows of a table to remove: key is its primary key, due the condition with the
// parameters until, order the columns of an index, and most the size of a batch.
type purge struct {
	table, key, order string
	due               string
	until             []any
	most              int
}

// expiring returns the tables whose rows are removed once the time in a column, order, has passed.
func expiring() map[ops.PurgeKind]purge {
	return map[ops.PurgeKind]purge{
		ops.PurgeSessions:         {table: "sessions", key: "id", order: "purge_at"},
		ops.PurgeImpersonations:   {table: "impersonations", key: "id", order: "purge_at"},
		ops.PurgeLimits:           {table: "rate_limits", key: "key", order: "expires_at"},
		ops.PurgeAnswers:          {table: "idempotency", key: "key", order: "expires_at"},
		ops.PurgeAPIKeys:          {table: "api_keys", key: "id", order: "purge_at"},
		ops.PurgeKeySecrets:       {table: "api_key_secrets", key: "digest", order: "expires_at"},
		ops.PurgeChallenges:       {table: "challenges", key: "digest", order: "expires_at"},
		ops.PurgeGuesses:          {table: "guesses", key: "subject", order: "expires_at"},
		ops.PurgeAssessments:      {table: "risk_assessments", key: "id", order: "purge_at"},
		ops.PurgeGrants:           {table: "oauth_grants", key: "id", order: "purge_at"},
		ops.PurgeOAuthDevices:     {table: "oauth_devices", key: "id", order: "purge_at"},
		ops.PurgeDevices:          {table: "devices", key: "id", order: "expires_at"},
		ops.PurgeMails:            {table: "mails", key: "id", order: "purge_at"},
		ops.PurgeNotifications:    {table: "notifications", key: "id", order: "purge_at"},
		ops.PurgeSlugs:            {table: "reserved_slugs", key: "slug", order: "until"},
		ops.PurgeRelations:        {table: "relation_tuples", key: "object, org_id, relation, kind, subject", order: "expires_at"},
		ops.PurgeOverrides:        {table: "feature_overrides", key: "org_id, subject, key", order: "expires_at"},
		ops.PurgeJobs:             {table: "jobs", key: "id", order: "purge_at"},
		ops.PurgeInvitations:      {table: "invitations", key: "id", order: "purge_at"},
		ops.PurgeLicenseKeys:      {table: "license_keys", key: "digest", order: "ends_at"},
		ops.PurgeTransfers:        {table: "license_transfers", key: "id", order: "purge_at"},
		ops.PurgeVacancies:        {table: "license_vacancies", key: "license_id, digest", order: "expires_at"},
		ops.PurgeUsage:            {table: "license_usage", key: "license_id, period, meter", order: "purge_at"},
		ops.PurgeUses:             {table: "license_uses", key: "license_id, digest", order: "expires_at", most: manyBatch},
		ops.PurgeProofs:           {table: "dpop_proofs", key: "key", order: "expires_at", most: manyBatch},
		ops.PurgeSubscriptionUses: {table: "subscription_uses", key: "subscription_id, digest", order: "expires_at", most: manyBatch},
		ops.PurgeProcessorEvents:  {table: "processor_events", key: "id", order: "purge_at"},
		ops.PurgeProcessorTurns:   {table: "processor_turns", key: "subject", order: "expires_at"},
	}
}

// purgeOf returns the rows to remove of a kind, and reports whether it knows the kind.
func purgeOf(kind ops.PurgeKind, now time.Time) (purge, bool) {
	if p, plain := expiring()[kind]; plain {
		p.due, p.until, p.most = p.order+" <= ?", []any{sqlstore.At(now)}, max(p.most, purgeBatch)
		return p, true
	}
	switch kind {
	case ops.PurgeLoginFailures:
		until := []any{signin.MinuteOf(now) - loginevent.KeptMinutes}
		return purge{"login_failures", "minute", "minute", "minute <= ?", until, purgeBatch}, true
	case ops.PurgeBindings:
		until := []any{sqlstore.At(now.Add(-bindingLife))}
		return purge{"dpop_bindings", "id", "expires_at", "expires_at <= ?", until, purgeBatch}, true
	case ops.PurgeMachines:
		until := []any{sqlstore.At(now.Add(-license.LapsedKept))}
		return purge{"license_machines", "id", "lapses_at", "lapses_at <= ?", until, purgeBatch}, true
	case ops.PurgeLeases:
		until := []any{sqlstore.At(now.Add(-license.LeaseKept))}
		return purge{"license_leases", "id", "ends_at", "ends_at <= ?", until, purgeBatch}, true
	case ops.PurgeWorkspaces:
		until := []any{sqlstore.At(now.Add(-emptyingLife))}
		return purge{"workspaces", "id", "deleted_at", "deleted_at <= ?", until, 1}, true
	case ops.PurgeQuotaUses:
		// A total above 0 is kept while stored answers that count towards it are not purged.
		return purge{"quota_uses", "key", "expires_at", "expires_at <= ? AND (daily OR amount <= 0)", []any{sqlstore.At(now)}, purgeBatch}, true
	case ops.PurgeJobRows:
		return purge{"job_rows", "id", "id", dueRows, []any{sqlstore.At(now)}, purgeBatch}, true
	case ops.PurgeEvents:
		// Identifiers of events are ordered by time, give or take a few seconds.
		return purge{"events", "id", "id", "id < ?" + outsideChain, []any{event.EarliestID(now).String()}, purgeBatch}, true
	case ops.PurgeDeliveries:
		return purge{"webhook_deliveries", "id", "id", "id < ?", []any{webhook.EarliestDelivery(now).String()}, purgeBatch}, true
	case ops.PurgeRuns:
		return purge{"flow_runs", "id", "created_at", "created_at <= ?", []any{sqlstore.At(now)}, purgeBatch}, true
	case ops.PurgeM2MTokens:
		// Identifiers begin with a time, so that the primary key finds old ones.
		until := []any{sqlstore.EarliestUUID(now.Add(-TokenLife)), sqlstore.At(now)}
		return purge{"m2m_tokens", "jti", "jti", "jti < ? AND expires_at <= ?", until, manyBatch}, true
	default:
		return purge{}, false
	}
}

// dueRows is the condition on the rows of the first job whose results have expired.
const dueRows = `job_id = (SELECT j.id FROM jobs j WHERE j.results_until <= ? AND EXISTS (SELECT 1 FROM job_rows r WHERE r.job_id = j.id)
	ORDER BY j.results_until LIMIT 1)`

// outsideChain excludes the events after the last block that was cut, because the chain is cut by
// whole blocks.
const outsideChain = ` AND NOT EXISTS (SELECT 1 FROM event_feed f WHERE f.event_id = events.id
	AND f.pos > (SELECT COALESCE(MAX(last_pos), 0) FROM audit_blocks WHERE cut_at IS NOT NULL))`

// cutAtOnce is how many blocks are cut in one transaction. The proofs of each are long.
const cutAtOnce = 20

// cutBlocks removes the proofs of the oldest blocks that have only events before a time. Their hashes
// are kept.
func cutBlocks(ctx context.Context, tx *sqlstore.Tx, until time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE audit_blocks SET proofs = '', cut_at = ? WHERE number IN (
		SELECT number FROM audit_blocks WHERE cut_at IS NULL AND number < COALESCE(
			(SELECT MIN(number) FROM audit_blocks WHERE cut_at IS NULL AND latest_at >= ?), ?) ORDER BY number LIMIT ?)`,
		sqlstore.At(tx.Store().Clock().Now()), sqlstore.At(until), int64(math.MaxInt64), cutAtOnce)
	if err != nil {
		return fmt.Errorf("cut the chain of events: %w", err)
	}
	return nil
}

// Purge removes a batch of rows of a kind that have expired, and returns how many. Replicas that purge
// at the same time remove different rows.
func (u upkeep) Purge(ctx context.Context, kind ops.PurgeKind, now time.Time) (int, error) {
	p, known := purgeOf(kind, now)
	if !known {
		return 0, fmt.Errorf("unknown kind of purge %q", kind)
	}
	remove := sqlstore.BatchOf(p.key, p.table+" WHERE "+p.due+" ORDER BY "+p.order) +
		"DELETE FROM " + p.table + " WHERE (" + p.key + ") IN (SELECT " + p.key + " FROM batch) RETURNING " + p.returning(kind)
	var gone []string
	err := u.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		gone = nil
		if kind == ops.PurgeEvents {
			if err := cutBlocks(ctx, tx, now); err != nil {
				return err
			}
		}
		err := tx.List(ctx, &gone, remove, append(p.until, p.most)...)
		if err != nil || len(gone) == 0 {
			return err
		}
		return forget(ctx, tx, kind, gone)
	})
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", kind, err)
	}
	return len(gone), nil
}

// returning returns the column of the removed rows that forget needs.
func (p purge) returning(kind ops.PurgeKind) string {
	switch kind {
	case ops.PurgeAnswers, ops.PurgeRelations, ops.PurgeOverrides:
		return "org_id"
	case ops.PurgeUsage, ops.PurgeUses, ops.PurgeVacancies:
		return "license_id"
	case ops.PurgeSubscriptionUses:
		return "subscription_id"
	default:
		return p.key
	}
}

// forget removes the rows of other tables that belong to the removed ones.
func forget(ctx context.Context, tx *sqlstore.Tx, kind ops.PurgeKind, gone []string) error {
	switch kind {
	case ops.PurgeAPIKeys:
		return tx.ForgetUses(ctx, gone)
	case ops.PurgeAnswers:
		return tx.DropAnswers(ctx, gone)
	case ops.PurgeEvents:
		if err := forgetRows(ctx, tx, gone, "id", "event_changes"); err != nil {
			return err
		}
		return forgetRows(ctx, tx, gone, "event_id", "event_feed", "event_queue")
	case ops.PurgeDeliveries:
		return forgetRows(ctx, tx, gone, "delivery_id", "webhook_attempts")
	case ops.PurgeWorkspaces:
		return workspaces.MoveHome(ctx, tx, workspace.ID(gone[0]))
	default:
		return nil
	}
}

// forgetRows deletes the rows of tables whose key is one of the removed ones.
func forgetRows(ctx context.Context, tx *sqlstore.Tx, gone []string, key string, tables ...string) error {
	for _, table := range tables {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE "+key+" {any "+key+" text}", sqlstore.OneColumn(gone)); err != nil {
			return fmt.Errorf("forget rows of %s: %w", table, err)
		}
	}
	return nil
}
