package machines

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// AppDirectory lists and finds apps for reading.
func AppDirectory(store *sqlstore.Store) machines.AppDirectory { return appDirectory{store} }

type appDirectory struct{ store *sqlstore.Store }

// List returns the apps that match, newest first.
func (d appDirectory) List(ctx context.Context, query machines.AppQuery) ([]app.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(!query.Vouched, "scopes_vouched <> ''")
	f.Unless(query.Type == "", "type = ?", string(query.Type))
	if query.Text != "" {
		begin := strings.ToLower(sqlstore.Printable(query.Text))
		end := begin + string(utf8.MaxRune)
		f.Where("((slug >= ? AND slug < ?) OR (name_folded >= ? AND name_folded < ?))", begin, end, begin, end)
	}
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []sqlstore.AppRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+sqlstore.AppColumns+" FROM apps"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list apps: %w", err)
	}
	return sqlstore.Map(found, (*sqlstore.AppRow).Snapshot)
}

// NeedIDTokens reports whether an app has ID tokens signed by an algorithm.
func (d appDirectory) NeedIDTokens(ctx context.Context, by signingkey.Algorithm) (needed bool, err error) {
	err = d.store.Reader(ctx).Get(ctx, &needed, `SELECT EXISTS (SELECT 1 FROM apps WHERE id_token_alg = ? AND id_token_alg <> '')`, string(by))
	if err != nil {
		return false, fmt.Errorf("look for apps by the algorithm of their ID tokens: %w", err)
	}
	return needed, nil
}

// Find returns one app of a workspace, or of any.
func (d appDirectory) Find(ctx context.Context, org workspace.ID, by machines.AppKey) (app.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(by.ID == "", "id = ?", by.ID.String())
	f.Unless(by.ID != "", "slug = ?", by.Slug)
	f.Unless(org == "", "org_id = ?", org.String())
	found, err := oneApp(ctx, d.store.Reader(ctx), f.String(), f.Args...)
	if err != nil {
		return app.Snapshot{}, err
	}
	return found.Snapshot()
}

// SecretUses reads the last uses of secrets.
func (d appDirectory) SecretUses(ctx context.Context, secrets []app.SecretID) (map[app.SecretID]time.Time, error) {
	subjects := make([]string, len(secrets))
	for i, id := range secrets {
		subjects[i] = id.String()
	}
	var found []struct {
		Subject app.SecretID     `db:"subject"`
		UsedAt  sqlstore.Instant `db:"used_at"`
	}
	err := d.store.Reader(ctx).List(ctx, &found,
		`SELECT subject, used_at FROM last_uses WHERE subject {any subject text}`, sqlstore.OneColumn(subjects))
	if err != nil {
		return nil, fmt.Errorf("read the last uses of secrets: %w", err)
	}
	uses := make(map[app.SecretID]time.Time, len(found))
	for _, one := range found {
		uses[one.Subject] = one.UsedAt.Time
	}
	return uses, nil
}
