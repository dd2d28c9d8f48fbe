package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// usesLife is how long a counter of a quota is kept after the day of its last change. Whole
// days keep its expiry, and so its index entry, unchanged by most updates.
const usesLife = 2 * Day

// QuotaUse is an amount to count against a quota.
type QuotaUse struct {
	// Key names the quota and whose it is and, for a daily quota, the day.
	Key   string
	Daily bool
	// Amount is what is added, and Most the limit that the sum must not exceed.
	Amount, Most int
}

// Use counts an amount, and reports whether it was within the quota; otherwise nothing is
// counted. Others who count under the same key wait until this transaction ends.
func (t *Tx) Use(ctx context.Context, use QuotaUse) (bool, error) {
	expires := t.store.clock.Now().Truncate(Day).Add(Day + usesLife)
	n, err := t.Exec(ctx, `
		INSERT INTO quota_uses (key, daily, amount, expires_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET amount = quota_uses.amount + excluded.amount, expires_at = excluded.expires_at
		WHERE quota_uses.amount + excluded.amount <= ?`,
		use.Key, use.Daily, use.Amount, At(expires), use.Most)
	if err != nil {
		return false, fmt.Errorf("count what is used of a quota: %w", err)
	}
	return n == 1, nil
}

// QuotaKey names a quota of a workspace.
func QuotaKey(quota, org string) string { return quota + "/" + org }

// answerQuota is the quota of stored answers.
const answerQuota = "stored_answers"

// DropAnswers counts answers that are no longer stored off their workspaces, one
// workspace for each answer.
func (t *Tx) DropAnswers(ctx context.Context, orgs []string) error {
	dropped := map[string]int{}
	for _, org := range orgs {
		if org != "" {
			dropped[org]++
		}
	}
	for _, org := range slices.Sorted(maps.Keys(dropped)) {
		_, err := t.Exec(ctx, `UPDATE quota_uses SET amount = amount - ? WHERE key = ?`, dropped[org], QuotaKey(answerQuota, org))
		if err != nil {
			return fmt.Errorf("count stored answers: %w", err)
		}
	}
	return nil
}
