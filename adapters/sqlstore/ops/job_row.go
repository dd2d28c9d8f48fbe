package ops

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
)

const jobColumns = `id, kind, org_id, status, done, total, failed, row_count, content_type, why, content, saved,
	turns, fruitless, created_at, started_at, finished_at, version`

// jobRow is a job as it is stored.
type jobRow struct {
	ID          job.ID           `db:"id"`
	Kind        job.Kind         `db:"kind"`
	OrgID       workspace.ID     `db:"org_id"`
	Status      job.Status       `db:"status"`
	Done        int              `db:"done"`
	Total       int              `db:"total"`
	Failed      int              `db:"failed"`
	RowCount    int              `db:"row_count"`
	ContentType string           `db:"content_type"`
	Why         string           `db:"why"`
	Content     string           `db:"content"`
	Saved       string           `db:"saved"`
	Turns       int              `db:"turns"`
	Fruitless   int              `db:"fruitless"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	StartedAt   sqlstore.Instant `db:"started_at"`
	FinishedAt  sqlstore.Instant `db:"finished_at"`
	Version     int64            `db:"version"`
}

// jobContent is the sealed part of a job that never changes.
type jobContent struct {
	Maker  job.Maker
	Params jsontext.Value `json:",omitzero"`
}

// snapshot decrypts and decodes a stored job. One that was sealed under another secret is returned
// without a maker and content, so that it does not block the others.
func (r *jobRow) snapshot(store *sqlstore.Store) (job.Snapshot, error) {
	s := job.Snapshot{
		ID: r.ID, Kind: r.Kind, OrgID: r.OrgID, Status: r.Status, Done: r.Done, Total: r.Total, Failed: r.Failed, Rows: r.RowCount,
		ContentType: r.ContentType, Why: r.Why, Turns: r.Turns, Fruitless: r.Fruitless,
		CreatedAt: r.CreatedAt.Time, StartedAt: r.StartedAt.Time, FinishedAt: r.FinishedAt.Time,
	}
	open := sqlstore.Opener{Sealer: store.Secrets(), Table: "jobs", ID: r.ID.String()}
	stored, saved := open.Value("content", r.Content), open.Value("saved", r.Saved)
	if open.Err != nil {
		return s, nil //nolint:nilerr // the runner fails a job without a maker
	}
	var content jobContent
	if err := json.Unmarshal([]byte(stored), &content); err != nil {
		return s, fmt.Errorf("decode the job %s: %w", r.ID, err)
	}
	s.Maker, s.Params, s.Saved = content.Maker, content.Params, []byte(saved)
	return s, nil
}

// jobState returns the columns of a job.
func jobState(store *sqlstore.Store, s job.Snapshot) (sqlstore.Row, error) {
	content, err := json.Marshal(jobContent{Maker: s.Maker, Params: s.Params}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a job: %w", err)
	}
	seal := func(column, plain string) string {
		return store.Secrets().Seal(plain, sqlstore.Place("jobs", column, s.ID.String()))
	}
	return sqlstore.Row{
		{"kind", string(s.Kind)},
		{"org_id", s.OrgID.String()},
		{"user_id", s.Maker.UserID.String()},
		{"maker", makerKey(access.Caller{User: s.Maker.UserID, APIKey: s.Maker.Key, App: s.Maker.App})},
		{"status", string(s.Status)},
		{"done", s.Done},
		{"total", s.Total},
		{"failed", s.Failed},
		{"row_count", s.Rows},
		{"content_type", s.ContentType},
		{"why", s.Why},
		{"content", seal("content", string(content))},
		{"saved", seal("saved", string(s.Saved))},
		{"turns", s.Turns},
		{"fruitless", s.Fruitless},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"started_at", sqlstore.At(s.StartedAt)},
		{"finished_at", sqlstore.At(s.FinishedAt)},
		{"results_until", sqlstore.At(s.ResultsUntil())},
		{"purge_at", sqlstore.At(s.PurgeAt())},
	}, nil
}

// makerKey returns the value of the column maker: the id of the API key, the app, or else the user
// that made a job.
func makerKey(c access.Caller) string {
	switch {
	case c.APIKey != "":
		return c.APIKey.String()
	case c.App != "":
		return c.App.String()
	}
	return c.User.String()
}
