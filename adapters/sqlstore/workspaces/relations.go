package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// keptModels is how many versions of a model are kept for each workspace.
const keptModels = 100

// Relations returns the repository of relation tuples and models.
func Relations(tx *sqlstore.Tx) workspaces.Relations { return relations{tx} }

type relations struct{ tx *sqlstore.Tx }

// Hold reads the head under a lock of its row, which it inserts if there is none.
func (r relations) Hold(ctx context.Context, org workspace.ID) (workspaces.RelationHead, error) {
	head, known, err := relationHead(ctx, r.tx.Queries, org, ` {for update}`)
	if err != nil || known {
		return head, err
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO relation_heads (org_id, revision, model_version) VALUES (?, 0, 0) ON CONFLICT DO NOTHING`, org.String())
	if err != nil {
		return head, fmt.Errorf("insert the head of relations: %w", err)
	}
	head, _, err = relationHead(ctx, r.tx.Queries, org, ` {for update}`)
	return head, err
}

// Put inserts or updates tuples by one statement, and returns how many changed. The caller holds
// the lock of the head, so that only the purge of expired tuples deletes rows meanwhile.
func (r relations) Put(ctx context.Context, org workspace.ID, tuples []relation.Tuple) (int, error) {
	rows := make(sqlstore.Rows, len(tuples))
	for i, t := range tuples {
		rows[i] = []any{
			t.Object.String(), t.Relation, kindOf(t.Subject), t.Subject.String(), t.Shape(), t.Context,
			sqlstore.At(t.ExpiresAt), sqlstore.At(t.WrittenAt),
		}
	}
	n, err := r.tx.Exec(ctx, `
		INSERT INTO relation_tuples (org_id, object, relation, kind, subject, shape, context, expires_at, written_at)
		SELECT ?, r.object, r.relation, r.kind, r.subject, r.shape, r.context, r.expires_at, r.written_at
		FROM {rows object text, relation text, kind bigint, subject text, shape text, context text, expires_at time, written_at time}
		WHERE TRUE
		ON CONFLICT (object, org_id, relation, kind, subject) DO UPDATE SET
			shape = excluded.shape, context = excluded.context, expires_at = excluded.expires_at, written_at = excluded.written_at
		WHERE relation_tuples.shape <> excluded.shape OR relation_tuples.context <> excluded.context
			OR relation_tuples.expires_at IS DISTINCT FROM excluded.expires_at`, org.String(), rows)
	if err != nil {
		return 0, fmt.Errorf("store relation tuples: %w", err)
	}
	return int(n), nil
}

// Delete removes tuples by one statement, and returns how many there were.
func (r relations) Delete(ctx context.Context, org workspace.ID, keys []relation.Key) (int, error) {
	rows := make(sqlstore.Rows, len(keys))
	for i, key := range keys {
		rows[i] = []any{key.Object.String(), key.Relation, kindOf(key.Subject), key.Subject.String()}
	}
	n, err := r.tx.Exec(ctx, `
		DELETE FROM relation_tuples WHERE org_id = ? AND (object, relation, kind, subject) IN (
			SELECT r.object, r.relation, r.kind, r.subject FROM {rows object text, relation text, kind bigint, subject text})`,
		org.String(), rows)
	if err != nil {
		return 0, fmt.Errorf("delete relation tuples: %w", err)
	}
	return int(n), nil
}

// Stored lists tuples that have not expired.
func (r relations) Stored(ctx context.Context, org workspace.ID, query workspaces.RelationQuery) ([]relation.Tuple, error) {
	return storedTuples(ctx, r.tx.Queries, org, query, r.tx.Store().Clock().Now())
}

// Move stores the head, and a new model unless its text is empty.
func (r relations) Move(ctx context.Context, org workspace.ID, head workspaces.RelationHead, model workspaces.RelationModel) error {
	_, err := r.tx.Exec(ctx, `UPDATE relation_heads SET revision = ?, model_version = ? WHERE org_id = ?`,
		int64(head.Revision), head.ModelVersion, org.String())
	if err != nil {
		return fmt.Errorf("store the head of relations: %w", err)
	}
	if model.Text == "" {
		return nil
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO relation_models (org_id, version, model, created_at) VALUES (?, ?, ?, ?)`,
		org.String(), head.ModelVersion, model.Text, sqlstore.At(model.CreatedAt))
	if err != nil {
		return fmt.Errorf("store a relation model: %w", err)
	}
	_, err = r.tx.Exec(ctx, `DELETE FROM relation_models WHERE org_id = ? AND version <= ?`, org.String(), head.ModelVersion-keptModels)
	if err != nil {
		return fmt.Errorf("delete old relation models: %w", err)
	}
	return nil
}

// Model reads a version of the model.
func (r relations) Model(ctx context.Context, org workspace.ID, version int64) (workspaces.RelationModel, error) {
	return relationModel(ctx, r.tx.Queries, org, version)
}

// about is the condition that a tuple names an object: as its subject, as the object of its
// userset, or as its object. Its parameters are the object, the object with "#" and with "$", the
// bounds of its usersets, and the object again.
const about = ` (t.subject = ? OR (t.subject > ? AND t.subject < ?) OR t.object = ?)`

// CopyRelations copies the tuples of all workspaces that name an object to another object, and
// returns how many it stored. It increments the revision of each workspace that has any.
func CopyRelations(ctx context.Context, tx *sqlstore.Tx, from, to relation.Object) (int, error) {
	old, text := from.String(), to.String()
	which := []any{old, old + "#", old + "$", old}
	_, err := tx.Exec(ctx, `UPDATE relation_heads SET revision = revision + 1 WHERE org_id IN (
		SELECT t.org_id FROM relation_tuples t WHERE`+about+`)`, which...)
	var n int64
	if err == nil {
		n, err = tx.Exec(ctx, `
			INSERT INTO relation_tuples (org_id, object, relation, kind, subject, shape, context, expires_at, written_at)
			SELECT t.org_id, CASE WHEN t.object = ? THEN ? ELSE t.object END, t.relation, t.kind,
				CASE WHEN t.subject = ? THEN ? WHEN t.subject > ? AND t.subject < ? THEN ? || SUBSTR(t.subject, ?) ELSE t.subject END,
				t.shape, t.context, t.expires_at, t.written_at
			FROM relation_tuples t WHERE`+about+`
			ON CONFLICT (object, org_id, relation, kind, subject) DO UPDATE SET expires_at = excluded.expires_at
			WHERE relation_tuples.shape = excluded.shape AND relation_tuples.context = excluded.context
				AND relation_tuples.expires_at IS NOT NULL
				AND (excluded.expires_at IS NULL OR excluded.expires_at > relation_tuples.expires_at)`,
			append([]any{old, text, old, text, old + "#", old + "$", text, len(old) + 1}, which...)...)
	}
	if err != nil {
		return 0, fmt.Errorf("repeat the relation tuples of %s: %w", from.Type, err)
	}
	return int(n), nil
}

// ForgetRelations deletes the tuples of all workspaces that name an object which is deleted, such as
// user:usr_…. It increments the revision of each workspace that had any.
func ForgetRelations(ctx context.Context, tx *sqlstore.Tx, object relation.Object) error {
	text := object.String()
	args := []any{text, text + "#", text + "$", text}
	_, err := tx.Exec(ctx, `UPDATE relation_heads SET revision = revision + 1 WHERE org_id IN (
		SELECT t.org_id FROM relation_tuples t WHERE`+about+`)`, args...)
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM relation_tuples AS t WHERE`+about, args...)
	}
	if err != nil {
		return fmt.Errorf("delete the relation tuples of %s: %w", object.Type, err)
	}
	return nil
}

// DropPersonalTuples deletes all tuples of a user's personal workspace, which could let others act
// there.
func DropPersonalTuples(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	for _, statement := range []string{
		`UPDATE relation_heads SET revision = revision + 1 WHERE org_id` + OfPersonal,
		`DELETE FROM relation_tuples WHERE org_id` + OfPersonal,
	} {
		if _, err := tx.Exec(ctx, statement, owner.String()); err != nil {
			return fmt.Errorf("delete the relation tuples of a personal workspace: %w", err)
		}
	}
	return nil
}
