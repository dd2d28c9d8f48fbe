package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

const streamColumns = `id, org_id, name, kind, url, filter, secret, enabled, last_pos, turn, due_at, sent_at, failures, failing_since, last_error, told,
	created_at, updated_at, version`

type streamRow struct {
	ID              auditstream.ID   `db:"id"`
	OrgID           workspace.ID     `db:"org_id"`
	Name            string           `db:"name"`
	Kind            auditstream.Kind `db:"kind"`
	URL             string           `db:"url"`
	Filter          string           `db:"filter"`
	Secret          string           `db:"secret"`
	Enabled         bool             `db:"enabled"`
	LastPos         int64            `db:"last_pos"`
	Turn            int              `db:"turn"`
	DueAt           sqlstore.Instant `db:"due_at"`
	SentAt          sqlstore.Instant `db:"sent_at"`
	Failures        int              `db:"failures"`
	FailingSince    sqlstore.Instant `db:"failing_since"`
	LastError       string           `db:"last_error"`
	FailureReported bool             `db:"told"`
	CreatedAt       sqlstore.Instant `db:"created_at"`
	UpdatedAt       sqlstore.Instant `db:"updated_at"`
	Version         int64            `db:"version"`
}

func (r *streamRow) snapshot(store *sqlstore.Store) (auditstream.Snapshot, error) {
	open := store.RowOpener("audit_streams", r.ID.String())
	s := auditstream.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Name: open.Value("name", r.Name), Kind: r.Kind, URL: open.Value("url", r.URL), Secret: open.Value("secret", r.Secret), Enabled: r.Enabled,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, Progress: auditstream.Progress{
			Position: r.LastPos, Turn: r.Turn, DueAt: r.DueAt.Time, SentAt: r.SentAt.Time, Failures: r.Failures, FailingSince: r.FailingSince.Time,
			LastError: open.Value("last_error", r.LastError), FailureReported: r.FailureReported,
		},
	}
	if open.Err != nil {
		return s, fmt.Errorf("open the stream %s: %w", r.ID, open.Err)
	}
	return s, sqlstore.Wrap("decode a stream", json.Unmarshal([]byte(r.Filter), &s.Filter))
}

// Streams returns the repository of audit streams.
func Streams(tx *sqlstore.Tx) webhooks.Streams { return streams{tx} }

type streams struct{ tx *sqlstore.Tx }

// ByID reads one stream. It fails with auditstream.ErrNotFound.
func (r streams) ByID(ctx context.Context, id auditstream.ID) (*auditstream.Stream, error) {
	var found streamRow
	err := r.tx.One(ctx, &found, auditstream.ErrNotFound, `SELECT `+streamColumns+` FROM audit_streams WHERE id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return auditstream.Restore(s, found.Version), err
}

// Count counts the streams of a workspace, or of the instance, under a lock of its row.
func (r streams) Count(ctx context.Context, org workspace.ID) (count int, err error) {
	if err = holdOwner(ctx, r.tx, org); err == nil {
		err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM audit_streams WHERE org_id = ?`, org.String())
	}
	return count, sqlstore.Wrap("count streams", err)
}

// Save stores a stream.
func (r streams) Save(ctx context.Context, a *auditstream.Stream) error {
	s := a.Snapshot()
	filter, err := json.Marshal(s.Filter)
	if err != nil {
		return fmt.Errorf("encode a stream: %w", err)
	}
	seal := r.tx.Store().RowSealer("audit_streams", s.ID.String())
	err = r.tx.Save(ctx, "audit_streams", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"name", seal("name", s.Name)},
		{"kind", string(s.Kind)},
		{"url", seal("url", s.URL)},
		{"filter", string(filter)},
		{"secret", seal("secret", s.Secret)},
		{"enabled", s.Enabled},
		{"last_pos", s.Position},
		{"turn", s.Turn},
		{"due_at", sqlstore.At(s.DueAt)},
		{"sent_at", sqlstore.At(s.SentAt)},
		{"failures", s.Failures},
		{"failing_since", sqlstore.At(s.FailingSince)},
		{"last_error", seal("last_error", sqlstore.Printable(s.LastError))},
		{"told", s.FailureReported},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, a)
	return sqlstore.Wrap("save a stream", err)
}

// Delete removes a stream.
func (r streams) Delete(ctx context.Context, a *auditstream.Stream) error {
	return r.tx.Delete(ctx, "audit_streams", sqlstore.Row{{"id", a.Snapshot().ID.String()}}, a)
}

// StreamDirectory returns the directory of audit streams.
func StreamDirectory(store *sqlstore.Store) webhooks.StreamDirectory { return streamDirectory{store} }

type streamDirectory struct{ store *sqlstore.Store }

// List reads the streams of a workspace, or of the instance, newest first.
func (d streamDirectory) List(ctx context.Context, org workspace.ID) ([]auditstream.Snapshot, error) {
	var found []streamRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+streamColumns+` FROM audit_streams WHERE org_id = ? ORDER BY id DESC`, org.String())
	if err != nil {
		return nil, sqlstore.Wrap("list streams", err)
	}
	return sqlstore.Map(found, func(row *streamRow) (auditstream.Snapshot, error) { return row.snapshot(d.store) })
}

// Due returns enabled streams that are due.
func (d streamDirectory) Due(ctx context.Context, now time.Time, most int) (due []auditstream.ID, err error) {
	err = d.store.Reader(ctx).List(ctx, &due, `SELECT id FROM audit_streams WHERE enabled AND due_at <= ? ORDER BY due_at LIMIT ?`, sqlstore.At(now), most)
	return due, sqlstore.Wrap("look for streams", err)
}

// Last returns the last position of the feed.
func (d streamDirectory) Last(ctx context.Context) (last webhooks.Position, err error) {
	err = d.store.Reader(ctx).Get(ctx, &last, `SELECT COALESCE((SELECT last FROM feed_cursor WHERE id = 1), 0)`)
	return last, sqlstore.Wrap("read the end of the feed", err)
}

// Next returns the time of the first event that a stream has not sent; zero for none.
func (d streamDirectory) Next(ctx context.Context, s auditstream.Snapshot) (time.Time, error) {
	where := &sqlstore.Filter{}
	where.Where("pos > ?", s.Position)
	where.Unless(s.OrgID == "", "org_id = ? AND org_id <> ''", s.OrgID.String())
	var next []event.ID
	err := d.store.Reader(ctx).List(ctx, &next, `SELECT event_id FROM event_feed`+where.String()+` ORDER BY pos LIMIT 1`, where.Args...)
	if err != nil || len(next) == 0 {
		return time.Time{}, sqlstore.Wrap("look for what a stream has not sent", err)
	}
	return next[0].Time(), nil
}
