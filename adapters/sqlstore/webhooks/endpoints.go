package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

const endpointColumns = `id, org_id, url, kinds, description, headers, secrets, rate_limit, enabled, disabled, streak, failing_since,
	created_at, updated_at, version`

type endpointRow struct {
	ID           webhook.ID       `db:"id"`
	OrgID        workspace.ID     `db:"org_id"`
	URL          string           `db:"url"`
	Kinds        string           `db:"kinds"`
	Description  string           `db:"description"`
	Headers      string           `db:"headers"`
	Secrets      string           `db:"secrets"`
	RateLimit    int              `db:"rate_limit"`
	Enabled      bool             `db:"enabled"`
	Disabled     string           `db:"disabled"`
	Streak       int              `db:"streak"`
	FailingSince sqlstore.Instant `db:"failing_since"`
	CreatedAt    sqlstore.Instant `db:"created_at"`
	UpdatedAt    sqlstore.Instant `db:"updated_at"`
	Version      int64            `db:"version"`
}

func (r *endpointRow) snapshot(store *sqlstore.Store) (webhook.Snapshot, error) {
	open := store.RowOpener("webhook_endpoints", r.ID.String())
	s := webhook.Snapshot{
		ID: r.ID, OrgID: r.OrgID, URL: open.Value("url", r.URL), Description: open.Value("description", r.Description), RateLimit: r.RateLimit,
		Enabled: r.Enabled, Disabled: r.Disabled, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
		Health: webhook.Health{Streak: r.Streak, FailingSince: r.FailingSince.Time},
	}
	headers, secrets := open.Value("headers", r.Headers), open.Value("secrets", r.Secrets)
	if open.Err != nil {
		return s, fmt.Errorf("open the webhook %s: %w", r.ID, open.Err)
	}
	var err error
	s.Events, err = sqlstore.DecodeList[event.Kind](r.Kinds)
	if err == nil && headers != "" {
		err = json.Unmarshal([]byte(headers), &s.Headers)
	}
	if err == nil {
		err = json.Unmarshal([]byte(secrets), &s.Secrets)
	}
	return s, sqlstore.Wrap("decode a webhook", err)
}

// Endpoints returns the repository of endpoints.
func Endpoints(tx *sqlstore.Tx) webhooks.Endpoints { return endpoints{tx} }

type endpoints struct{ tx *sqlstore.Tx }

// oneEndpoint reads one endpoint with its version. It fails with webhook.ErrNotFound.
func oneEndpoint(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, id webhook.ID) (webhook.Snapshot, int64, error) {
	var found endpointRow
	err := q.One(ctx, &found, webhook.ErrNotFound, `SELECT `+endpointColumns+` FROM webhook_endpoints WHERE id = ?`, id.String())
	if err != nil {
		return webhook.Snapshot{}, 0, err
	}
	s, err := found.snapshot(store)
	return s, found.Version, err
}

// ByID reads one endpoint. It fails with webhook.ErrNotFound.
func (r endpoints) ByID(ctx context.Context, id webhook.ID) (*webhook.Endpoint, error) {
	s, version, err := oneEndpoint(ctx, r.tx.Store(), r.tx.Queries, id)
	if err != nil {
		return nil, err
	}
	return webhook.Restore(s, version), nil
}

// Count counts the endpoints of a workspace, or of the instance, under a lock of its row, so that
// concurrent transactions do not exceed the limit together.
func (r endpoints) Count(ctx context.Context, org workspace.ID) (count int, err error) {
	if err = holdOwner(ctx, r.tx, org); err == nil {
		err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM webhook_endpoints WHERE org_id = ?`, org.String())
	}
	return count, sqlstore.Wrap("count webhooks", err)
}

// holdOwner locks the row of a workspace, or of the instance for "".
func holdOwner(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	var held []string
	if org == "" {
		return tx.List(ctx, &held, `SELECT 'instance' FROM instance {for no key update}`)
	}
	return tx.List(ctx, &held, `SELECT id FROM workspaces WHERE id = ? {for no key update}`, org.String())
}

// Save stores an endpoint, with its subscriptions if it is enabled.
func (r endpoints) Save(ctx context.Context, e *webhook.Endpoint) error {
	s := e.Snapshot()
	var encoded sqlstore.ListEncoder
	kinds := sqlstore.EncodeInto(&encoded, s.Events)
	headers, err := json.Marshal(s.Headers, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the headers of a webhook: %w", err)
	}
	secrets, err := json.Marshal(s.Secrets)
	if err = errors.Join(err, encoded.Err); err != nil {
		return fmt.Errorf("encode a webhook: %w", err)
	}
	seal := r.tx.Store().RowSealer("webhook_endpoints", s.ID.String())
	state := sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"url", seal("url", s.URL)},
		{"kinds", kinds},
		{"description", seal("description", s.Description)},
		{"headers", seal("headers", string(headers))},
		{"secrets", seal("secrets", string(secrets))},
		{"rate_limit", s.RateLimit},
		{"enabled", s.Enabled},
		{"disabled", s.Disabled},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}
	if err := r.tx.Save(ctx, "webhook_endpoints", sqlstore.Row{{"id", s.ID.String()}}, state, e); err != nil {
		return fmt.Errorf("save a webhook: %w", err)
	}
	return r.subscribe(ctx, s)
}

// subscribe replaces the subscriptions of an endpoint. One without a streak of failures, as after it was
// enabled or disabled, also has its stored streak reset.
func (r endpoints) subscribe(ctx context.Context, s webhook.Snapshot) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM webhook_subscriptions WHERE endpoint_id = ?`, s.ID.String())
	if err == nil && s.Streak == 0 {
		_, err = r.tx.Exec(ctx, `UPDATE webhook_endpoints SET streak = 0, failing_since = NULL, warned_at = NULL WHERE id = ? AND streak > 0`, s.ID.String())
	}
	if err != nil || !s.Enabled {
		return sqlstore.Wrap("delete the subscriptions of a webhook", err)
	}
	wanted := make(sqlstore.Rows, len(s.Events))
	for i, pattern := range s.Events {
		wanted[i] = []any{s.ID.String(), string(pattern), s.OrgID.String()}
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO webhook_subscriptions (endpoint_id, pattern, org_id)
		SELECT endpoint_id, pattern, org_id FROM {rows endpoint_id text, pattern text, org_id text}`, wanted)
	return sqlstore.Wrap("store the subscriptions of a webhook", err)
}

// Delete removes an endpoint; its deliveries end when they are claimed.
func (r endpoints) Delete(ctx context.Context, e *webhook.Endpoint) error {
	return r.tx.Delete(ctx, "webhook_endpoints", sqlstore.Row{{"id", e.Snapshot().ID.String()}}, e)
}

// Warn stores that the owner of an enabled endpoint was warned, and reports whether it had not been.
func (r endpoints) Warn(ctx context.Context, id webhook.ID, now time.Time) (bool, error) {
	n, err := r.tx.Exec(ctx, `UPDATE webhook_endpoints SET warned_at = ? WHERE id = ? AND enabled AND warned_at IS NULL`, sqlstore.At(now), id.String())
	return n > 0, sqlstore.Wrap("store a warning", err)
}

// EndpointDirectory returns the directory of endpoints.
func EndpointDirectory(store *sqlstore.Store) webhooks.EndpointDirectory {
	return endpointDirectory{store}
}

type endpointDirectory struct{ store *sqlstore.Store }

// Find reads one endpoint. It fails with webhook.ErrNotFound.
func (d endpointDirectory) Find(ctx context.Context, id webhook.ID) (webhook.Snapshot, error) {
	s, _, err := oneEndpoint(ctx, d.store, d.store.Reader(ctx), id)
	return s, err
}

// List reads endpoints, newest first.
func (d endpointDirectory) List(ctx context.Context, query webhooks.EndpointQuery) ([]webhook.Snapshot, error) {
	var all sqlstore.Filter
	all.Where("org_id = ?", query.Org.String())
	if query.Enabled != nil {
		all.Where("enabled = ?", *query.Enabled)
	}
	all.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []endpointRow
	err := d.store.Reader(ctx).List(ctx, &found, "SELECT "+endpointColumns+" FROM webhook_endpoints"+all.String()+sqlstore.Newest(query.Limit), all.Args...)
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return snapshots(d.store, found)
}

func snapshots(store *sqlstore.Store, found []endpointRow) ([]webhook.Snapshot, error) {
	return sqlstore.Map(found, func(row *endpointRow) (webhook.Snapshot, error) { return row.snapshot(store) })
}
