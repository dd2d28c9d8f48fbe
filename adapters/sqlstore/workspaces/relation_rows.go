package workspaces

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// tupleColumns are the columns of a tupleRow, of the table relation_tuples named t.
const tupleColumns = `t.org_id, t.object, t.relation, t.subject, t.shape, t.context, t.expires_at, t.written_at`

// tupleRow is a tuple as it is stored.
type tupleRow struct {
	OrgID     workspace.ID     `db:"org_id"`
	Object    string           `db:"object"`
	Relation  string           `db:"relation"`
	Subject   string           `db:"subject"`
	Shape     string           `db:"shape"`
	Context   string           `db:"context"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
	WrittenAt sqlstore.Instant `db:"written_at"`
}

func (r *tupleRow) tuple() relation.Tuple {
	_, condition, _ := strings.Cut(r.Shape, " with ")
	return relation.Tuple{
		Key:       relation.Key{Object: objectOf(r.Object), Relation: r.Relation, Subject: subjectOf(r.Subject)},
		Condition: condition, Context: r.Context, ExpiresAt: r.ExpiresAt.Time, WrittenAt: r.WrittenAt.Time,
	}
}

// objectOf parses a stored object, "type:id".
func objectOf(text string) relation.Object {
	of, id, _ := strings.Cut(text, ":")
	return relation.Object{Type: of, ID: id}
}

// subjectOf parses a stored subject, "type:id" or "type:id#relation".
func subjectOf(text string) relation.Subject {
	object, name, _ := strings.Cut(text, "#")
	return relation.Subject{Object: objectOf(object), Relation: name}
}

// kindOf returns the column kind of a subject: 1 for a userset, 0 for others.
func kindOf(s relation.Subject) int64 {
	if s.Userset() {
		return 1
	}
	return 0
}

// ofType returns the range of the stored objects or subjects of a type: from is inclusive, before
// exclusive.
func ofType(name string) (from, before string) { return name + ":", name + ";" }

// tuplesOf converts rows to tuples.
func tuplesOf(rows []tupleRow) []relation.Tuple {
	made := make([]relation.Tuple, len(rows))
	for i := range rows {
		made[i] = rows[i].tuple()
	}
	return made
}

// relationHead reads the revision and the model version of the relations of a workspace, and
// reports whether it has any; lock is "" or a locking clause.
func relationHead(ctx context.Context, q *sqlstore.Queries, org workspace.ID, lock string) (workspaces.RelationHead, bool, error) {
	var found []struct {
		Revision     int64 `db:"revision"`
		ModelVersion int64 `db:"model_version"`
	}
	err := q.List(ctx, &found, `SELECT revision, model_version FROM relation_heads WHERE org_id = ?`+lock, org.String())
	if err != nil {
		return workspaces.RelationHead{}, false, fmt.Errorf("read the head of relations: %w", err)
	}
	if len(found) == 0 {
		return workspaces.RelationHead{}, false, nil
	}
	return workspaces.RelationHead{Revision: relation.Revision(found[0].Revision), ModelVersion: found[0].ModelVersion}, true, nil
}

// relationModel reads a version of a model. It fails with relation.ErrNoVersion.
func relationModel(ctx context.Context, q *sqlstore.Queries, org workspace.ID, version int64) (workspaces.RelationModel, error) {
	var found struct {
		Model     string           `db:"model"`
		CreatedAt sqlstore.Instant `db:"created_at"`
	}
	err := q.One(ctx, &found, relation.ErrNoVersion, `SELECT model, created_at FROM relation_models WHERE org_id = ? AND version = ?`, org.String(), version)
	if err != nil {
		return workspaces.RelationModel{}, err
	}
	return workspaces.RelationModel{Text: found.Model, CreatedAt: found.CreatedAt.Time}, nil
}

// storedTuples lists tuples that have not expired.
func storedTuples(ctx context.Context, q *sqlstore.Queries, org workspace.ID, query workspaces.RelationQuery, now time.Time) ([]relation.Tuple, error) {
	if query.Object == nil && query.Subject == nil {
		return shapedTuples(ctx, q, org, query, now)
	}
	f := &sqlstore.Filter{}
	var after []any
	if query.After != nil {
		subject := subjectOf(query.After.Subject)
		_, name, _ := relation.ShapeOf(query.After.Shape)
		after = []any{name, kindOf(subject), query.After.Subject}
		if query.Object == nil {
			after = []any{name, query.After.Object}
		}
	}
	order, bound := "t.relation, t.object", "(?, ?)"
	if query.Object != nil {
		order, bound = "t.relation, t.kind, t.subject", "(?, ?, ?)"
		f.Where("t.object = ?", query.Object.String())
	}
	if query.Subject != nil {
		f.Where("t.subject = ?", query.Subject.String())
	}
	f.Where("t.org_id = ?", org.String())
	f.Unless(query.Relation == "", "t.relation = ?", query.Relation)
	f.Unless(after == nil, "("+order+") > "+bound, after...)
	f.Where(unexpired, sqlstore.At(now))
	return listTuples(ctx, q, f, order, query.Limit)
}

// shapedTuples lists the tuples of each shape in turn, sorted by object and subject.
func shapedTuples(ctx context.Context, q *sqlstore.Queries, org workspace.ID, query workspaces.RelationQuery, now time.Time) ([]relation.Tuple, error) {
	var all []relation.Tuple
	for _, shape := range query.Shapes {
		f := &sqlstore.Filter{}
		f.Where("t.org_id = ? AND t.shape = ?", org.String(), shape)
		if query.After != nil {
			if shape < query.After.Shape {
				continue
			}
			f.Unless(shape != query.After.Shape, "(t.object, t.subject) > (?, ?)", query.After.Object, query.After.Subject)
		}
		f.Where(unexpired, sqlstore.At(now))
		found, err := listTuples(ctx, q, f, "t.object, t.subject", query.Limit-len(all))
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) >= query.Limit {
			break
		}
	}
	return all, nil
}

func listTuples(ctx context.Context, q *sqlstore.Queries, f *sqlstore.Filter, order string, limit int) ([]relation.Tuple, error) {
	var found []tupleRow
	err := q.List(ctx, &found, `SELECT `+tupleColumns+` FROM relation_tuples t`+f.String()+` ORDER BY `+order+` LIMIT ?`,
		append(f.Args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("list relation tuples: %w", err)
	}
	return tuplesOf(found), nil
}
