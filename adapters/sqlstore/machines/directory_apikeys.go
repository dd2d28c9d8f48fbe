package machines

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// APIKeyDirectory lists API keys for reading.
func APIKeyDirectory(store *sqlstore.Store) machines.APIKeyDirectory { return apiKeyDirectory{store} }

type apiKeyDirectory struct{ store *sqlstore.Store }

// List returns keys, newest first.
func (d apiKeyDirectory) List(ctx context.Context, query machines.APIKeyQuery) ([]machines.ListedAPIKey, error) {
	matching := matchKeys(query)
	var found []struct {
		storedKey

		UsedAt sqlstore.Instant `db:"used_at"`
	}
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+storedKeyColumns+", used_at"+fromKeys+matching.String()+
		" ORDER BY id DESC LIMIT ?", append(matching.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	listed := make([]machines.ListedAPIKey, len(found))
	for i := range found {
		listed[i].UsedAt = found[i].UsedAt.Time
		if listed[i].Key, err = found[i].snapshot(d.store); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// Summary counts the keys of a user.
func (d apiKeyDirectory) Summary(ctx context.Context, owner user.ID, moments machines.APIKeyMoments) (machines.APIKeySummary, error) {
	var found []struct {
		Total  int `db:"total"`
		Active int `db:"active"`
		Soon   int `db:"soon"`
	}
	now, q := sqlstore.At(moments.Now), d.store.Reader(ctx)
	err := q.Search(ctx, &found, `
		SELECT COUNT(*) AS total,
			COUNT(CASE WHEN revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) THEN id END) AS active,
			COUNT(CASE WHEN revoked_at IS NULL AND expires_at > ? AND expires_at <= ? THEN id END) AS soon
		FROM api_keys WHERE user_id = ?`, now, now, sqlstore.At(moments.Soon), owner.String())
	if err != nil {
		return machines.APIKeySummary{}, fmt.Errorf("count API keys: %w", err)
	}
	summary := machines.APIKeySummary{Total: found[0].Total, Active: found[0].Active, ExpiringSoon: found[0].Soon}
	active := matchKeys(machines.APIKeyQuery{User: owner, Status: apikey.Active, Now: moments.Now})
	var carried []string
	if err := q.Search(ctx, &carried, `SELECT DISTINCT scopes FROM api_keys`+active.String(), active.Args...); err != nil {
		return machines.APIKeySummary{}, fmt.Errorf("count the scopes of API keys: %w", err)
	}
	unique := map[string]bool{}
	for _, encoded := range carried {
		scopes, err := sqlstore.DecodeList[string](encoded)
		if err != nil {
			return machines.APIKeySummary{}, fmt.Errorf("decode the scopes of an API key: %w", err)
		}
		for _, scope := range scopes {
			unique[scope] = true
		}
	}
	summary.UniqueScopes = len(unique)
	return summary, nil
}
