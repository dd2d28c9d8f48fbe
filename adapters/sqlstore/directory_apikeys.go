package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// APIKeyDirectory lists API keys for reading.
func (s *Store) APIKeyDirectory() outbound.APIKeyDirectory { return apiKeyDirectory{s} }

type apiKeyDirectory struct{ store *Store }

// List gives keys, newest first.
func (d apiKeyDirectory) List(ctx context.Context, query outbound.APIKeyQuery) ([]outbound.ListedAPIKey, error) {
	matching := matchKeys(query)
	var found []struct {
		storedKey

		UsedAt instant `db:"used_at"`
	}
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+storedKeyColumns+", used_at"+fromKeys+matching.String()+
		" ORDER BY id DESC LIMIT ?", append(matching.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	listed := make([]outbound.ListedAPIKey, len(found))
	for i := range found {
		listed[i].UsedAt = found[i].UsedAt.Time
		if listed[i].Key, err = found[i].snapshot(); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// Summary counts the keys of a user.
func (d apiKeyDirectory) Summary(ctx context.Context, owner user.ID, moments outbound.APIKeyMoments) (outbound.APIKeySummary, error) {
	var found []struct {
		Total  int `db:"total"`
		Active int `db:"active"`
		Soon   int `db:"soon"`
	}
	now, q := at(moments.Now), d.store.reader(ctx)
	err := q.search(ctx, &found, `
		SELECT COUNT(*) AS total,
			COUNT(CASE WHEN revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) THEN id END) AS active,
			COUNT(CASE WHEN revoked_at IS NULL AND expires_at > ? AND expires_at <= ? THEN id END) AS soon
		FROM api_keys WHERE user_id = ?`, now, now, at(moments.Soon), owner.String())
	if err != nil {
		return outbound.APIKeySummary{}, fmt.Errorf("count API keys: %w", err)
	}
	summary := outbound.APIKeySummary{Total: found[0].Total, Active: found[0].Active, ExpiringSoon: found[0].Soon}
	active := matchKeys(outbound.APIKeyQuery{User: owner, Status: apikey.Active, Now: moments.Now})
	var carried []string
	if err := q.search(ctx, &carried, `SELECT DISTINCT scopes FROM api_keys`+active.String(), active.args...); err != nil {
		return outbound.APIKeySummary{}, fmt.Errorf("count the scopes of API keys: %w", err)
	}
	unique := map[string]bool{}
	for _, encoded := range carried {
		scopes, err := decodeList[string](encoded)
		if err != nil {
			return outbound.APIKeySummary{}, fmt.Errorf("decode the scopes of an API key: %w", err)
		}
		for _, scope := range scopes {
			unique[scope] = true
		}
	}
	summary.UniqueScopes = len(unique)
	return summary, nil
}
