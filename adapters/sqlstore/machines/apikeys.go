package machines

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// APIKeys returns the API keys.
func APIKeys(tx *sqlstore.Tx) machines.APIKeys { return apiKeys{tx} }

type apiKeys struct{ tx *sqlstore.Tx }

// ByID reads one key.
func (r apiKeys) ByID(ctx context.Context, id apikey.ID) (*apikey.Key, error) {
	found, err := r.read(ctx, "SELECT "+storedKeyColumns+" FROM api_keys WHERE id = ?", id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, apikey.ErrNotFound
	}
	return found[0], nil
}

// ByDigests reads the keys of some texts.
func (r apiKeys) ByDigests(ctx context.Context, digests []string) ([]*apikey.Key, error) {
	return r.read(ctx, "SELECT "+storedKeyColumns+` FROM api_keys
		WHERE id IN (SELECT key_id FROM api_key_secrets WHERE digest {any digest text}) ORDER BY id`, sqlstore.OneColumn(digests))
}

// Matching reads keys that match.
func (r apiKeys) Matching(ctx context.Context, query machines.APIKeyQuery) ([]*apikey.Key, error) {
	matching := matchKeys(query)
	return r.read(ctx, "SELECT "+storedKeyColumns+fromKeys+matching.String()+sqlstore.Newest(query.Limit), matching.Args...)
}

// read returns the keys that a statement finds, with their texts.
func (r apiKeys) read(ctx context.Context, text string, args ...any) ([]*apikey.Key, error) {
	var found []storedKey
	if err := r.tx.List(ctx, &found, text, args...); err != nil {
		return nil, fmt.Errorf("read API keys: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].ID.String()
	}
	var texts []storedKeySecret
	if err := r.tx.List(ctx, &texts, `SELECT digest, key_id, expires_at FROM api_key_secrets WHERE key_id {any key_id text}`, sqlstore.OneColumn(ids)); err != nil {
		return nil, fmt.Errorf("read the texts of API keys: %w", err)
	}
	keys := make([]*apikey.Key, len(found))
	for i := range found {
		snapshot, err := found[i].snapshot(r.tx.Store())
		if err != nil {
			return nil, err
		}
		snapshot.Secrets = secretsOf(snapshot.ID, texts)
		keys[i] = apikey.Restore(snapshot, found[i].Version)
	}
	return keys, nil
}

// Save stores a key with its texts; those it has no more are forgotten.
func (r apiKeys) Save(ctx context.Context, k *apikey.Key) error {
	snapshot := k.Snapshot()
	state, err := keyState(r.tx.Store(), snapshot)
	if err != nil {
		return err
	}
	if k.Version() != 0 { // it may be ended, or one of its texts
		if err := r.tx.HoldOff(ctx, "api_keys", "id", snapshot.ID.String()); err != nil {
			return err
		}
	}
	if err := r.tx.Save(ctx, "api_keys", sqlstore.Row{{"id", snapshot.ID.String()}}, state, k); err != nil {
		return fmt.Errorf("save an API key: %w", err)
	}
	digests, texts := make([]string, len(snapshot.Secrets)), make(sqlstore.Rows, len(snapshot.Secrets))
	for i, s := range snapshot.Secrets {
		digests[i], texts[i] = s.Digest, []any{s.Digest, snapshot.ID.String(), sqlstore.At(s.ExpiresAt)}
	}
	_, err = r.tx.Exec(ctx, `DELETE FROM api_key_secrets WHERE key_id = ? AND digest NOT IN (SELECT r.digest FROM {rows digest text})`,
		snapshot.ID.String(), sqlstore.OneColumn(digests))
	if err != nil {
		return fmt.Errorf("forget texts of an API key: %w", err)
	}
	_, err = r.tx.Exec(ctx, `
		INSERT INTO api_key_secrets (digest, key_id, expires_at)
		SELECT r.digest, r.key_id, r.expires_at FROM {rows digest text, key_id text, expires_at time} WHERE TRUE
		ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at`, texts)
	if err != nil {
		return fmt.Errorf("store the texts of an API key: %w", err)
	}
	return nil
}

// Active counts under a lock of the account's row.
func (r apiKeys) Active(ctx context.Context, owner user.ID, now time.Time) (int, error) {
	var locked []user.ID
	if err := r.tx.List(ctx, &locked, `SELECT id FROM users WHERE id = ? {for update}`, owner.String()); err != nil {
		return 0, fmt.Errorf("lock an account: %w", err)
	}
	counted := matchKeys(machines.APIKeyQuery{User: owner, Status: apikey.Active, Now: now})
	var active int
	if err := r.tx.Get(ctx, &active, `SELECT COUNT(*) FROM api_keys`+counted.String(), counted.Args...); err != nil {
		return 0, fmt.Errorf("count API keys: %w", err)
	}
	return active, nil
}

// LastUse reads when a key was used last.
func (r apiKeys) LastUse(ctx context.Context, id apikey.ID) (time.Time, error) {
	var used []sqlstore.Instant
	if err := r.tx.List(ctx, &used, `SELECT used_at FROM last_uses WHERE subject = ?`, id.String()); err != nil {
		return time.Time{}, fmt.Errorf("read the last use of an API key: %w", err)
	}
	if len(used) == 0 {
		return time.Time{}, nil
	}
	return used[0].Time, nil
}
