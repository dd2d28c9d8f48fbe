package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// usesLife is how long a counter of a quota is kept after the day on which it changed
// last. That it counts in days lets most changes leave its index alone.
const usesLife = 2 * Day

// QuotaUse is what is used of a quota.
type QuotaUse struct {
	// Key says of which quota, whose, and for one of a day on which.
	Key   string
	Daily bool
	// Amount is how much is added, and Most how much there may be with it.
	Amount, Most int
}

// Use counts a use, and reports whether it was within the quota; if not, nothing
// changed. Whoever counts under the same key waits until this transaction ends.
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
