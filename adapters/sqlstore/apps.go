package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound"
)

// Apps gives the apps.
func (t *Tx) Apps() outbound.Apps { return apps{t} }

type apps struct{ tx *Tx }

// ByID reads one app.
func (r apps) ByID(ctx context.Context, id app.ID) (*app.App, error) {
	found, err := oneApp(ctx, r.tx.q, " WHERE id = ?", id.String())
	if err != nil {
		return nil, err
	}
	snapshot, err := found.snapshot()
	if err != nil {
		return nil, err
	}
	return app.Restore(snapshot, found.Version), nil
}

// oneApp reads one app that a clause names. It fails with app.ErrNotFound.
func oneApp(ctx context.Context, q *queries, which string, args ...any) (*appRow, error) {
	var found appRow
	err := q.get(ctx, &found, "SELECT "+appColumns+" FROM apps"+which, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, app.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read an app: %w", err)
	}
	return &found, nil
}

// Save stores an app. Its slug is all of a new one that can be taken, and it does
// not change later.
func (r apps) Save(ctx context.Context, a *app.App) error {
	state, err := appState(a.Snapshot())
	if err != nil {
		return err
	}
	err = r.tx.save(ctx, "apps", row{{"id", a.ID().String()}}, state, a)
	if errors.Is(err, aggregate.ErrConflict) && a.Version() == 0 {
		return app.ErrSlugTaken
	}
	if err != nil {
		return fmt.Errorf("save an app: %w", err)
	}
	return r.tx.saveRedirects(ctx, a.Snapshot())
}

// Delete removes an app.
func (r apps) Delete(ctx context.Context, a *app.App) error {
	n, err := r.tx.q.exec(ctx, `DELETE FROM apps WHERE id = ? AND version = ?`, a.ID().String(), a.Version())
	if err != nil {
		return fmt.Errorf("delete an app: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	return r.tx.record(ctx, a.Stored())
}
