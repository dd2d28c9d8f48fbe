package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// AppDirectory lists and finds apps for reading.
func (s *Store) AppDirectory() outbound.AppDirectory { return appDirectory{s} }

type appDirectory struct{ store *Store }

// List gives the apps of a workspace, newest first.
func (d appDirectory) List(ctx context.Context, query outbound.AppQuery) ([]app.Snapshot, error) {
	f := &filter{}
	f.where("org_id = ?", query.Org.String())
	f.unless(query.Type == "", "type = ?", string(query.Type))
	if query.Text != "" {
		begin := strings.ToLower(printable(query.Text))
		end := begin + string(utf8.MaxRune)
		f.where("((slug >= ? AND slug < ?) OR (name_folded >= ? AND name_folded < ?))", begin, end, begin, end)
	}
	f.unless(query.Before == "", "id < ?", query.Before.String())
	var found []appRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+appColumns+" FROM apps"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list apps: %w", err)
	}
	listed := make([]app.Snapshot, len(found))
	for i := range found {
		if listed[i], err = found[i].snapshot(); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// Find gives one app of a workspace.
func (d appDirectory) Find(ctx context.Context, org workspace.ID, by outbound.AppKey) (app.Snapshot, error) {
	which, value := " WHERE id = ? AND org_id = ?", by.ID.String()
	if by.ID == "" {
		which, value = " WHERE slug = ? AND org_id = ?", by.Slug
	}
	found, err := oneApp(ctx, d.store.reader(ctx), which, value, org.String())
	if err != nil {
		return app.Snapshot{}, err
	}
	return found.snapshot()
}

// SecretUses reads the last uses of secrets.
func (d appDirectory) SecretUses(ctx context.Context, secrets []app.SecretID) (map[app.SecretID]time.Time, error) {
	subjects := make([]string, len(secrets))
	for i, id := range secrets {
		subjects[i] = id.String()
	}
	var found []struct {
		Subject app.SecretID `db:"subject"`
		UsedAt  instant      `db:"used_at"`
	}
	err := d.store.reader(ctx).list(ctx, &found,
		`SELECT subject, used_at FROM last_uses WHERE subject {any subject text}`, column(subjects))
	if err != nil {
		return nil, fmt.Errorf("read the last uses of secrets: %w", err)
	}
	uses := make(map[app.SecretID]time.Time, len(found))
	for _, one := range found {
		uses[one.Subject] = one.UsedAt.Time
	}
	return uses, nil
}
