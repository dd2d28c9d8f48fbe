package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// RelationDirectory returns the directory of relation tuples and models. Concurrent queries are
// answered together by one statement.
func RelationDirectory(store *sqlstore.Store) workspaces.RelationDirectory {
	d := &relationDirectory{store: store}
	d.group.Run, d.group.Parallel = d.run, relationBatches
	return d
}

const (
	// relationBatches is how many batches of queries run at once.
	relationBatches = 2
	// batchRows bounds the rows of each part of the result of a batch: twice what a single query
	// may read.
	batchRows = 2 * relation.MostTuples
)

type relationDirectory struct {
	store *sqlstore.Store
	group batch.Group[relationAsk, relationAnswer]
}

type relationAsk struct {
	org workspace.ID
	q   relation.Query
}

type relationAnswer struct {
	found relation.QueryResult
	head  workspaces.RelationHead
}

// Model reads a version of the model. It fails with relation.ErrNoVersion.
func (d *relationDirectory) Model(ctx context.Context, org workspace.ID, version int64) (workspaces.RelationModel, error) {
	return relationModel(ctx, d.store.Reader(ctx), org, version)
}

// Tuples lists tuples that have not expired.
func (d *relationDirectory) Tuples(ctx context.Context, org workspace.ID, query workspaces.RelationQuery) ([]relation.Tuple, error) {
	return storedTuples(ctx, d.store.Reader(ctx), org, query, d.store.Clock().Now())
}

// Read answers a query, in one batch with concurrent ones.
func (d *relationDirectory) Read(ctx context.Context, org workspace.ID, q relation.Query) (relation.QueryResult, workspaces.RelationHead, error) {
	answered, err := d.group.Do(ctx, relationAsk{org, q})
	return answered.found, answered.head, err
}

// run answers queries by one statement. If that has more rows than the limit, so that it is unknown
// whose are missing, it answers each query by a statement of its own.
func (d *relationDirectory) run(ctx context.Context, asks []relationAsk) ([]batch.Outcome[relationAnswer], error) {
	limit := batchRows
	if len(asks) == 1 {
		limit = asks[0].q.Limit
	}
	level, err := readLevel(ctx, d.store.Reader(ctx), asks, limit)
	if err != nil {
		return nil, err
	}
	outcomes := make([]batch.Outcome[relationAnswer], len(asks))
	for i, ask := range asks {
		from := level
		if level.more && len(asks) > 1 {
			if from, err = readLevel(ctx, d.store.Reader(ctx), asks[i:i+1], ask.q.Limit); err != nil {
				return nil, err
			}
		}
		outcomes[i].Answer = from.answer(ask)
	}
	return outcomes, nil
}

// Snapshot calls read with a consistent snapshot, in its own transaction.
func (d *relationDirectory) Snapshot(ctx context.Context, org workspace.ID, read func(workspaces.RelationSnapshot) error) error {
	return d.store.Snapshot(ctx, func(q *sqlstore.Queries) error {
		return read(relationSnapshot{q, sqlstore.At(d.store.Clock().Now()), org})
	})
}

// level holds the result of one statement, by what is looked up in it.
type level struct {
	heads map[workspace.ID]workspaces.RelationHead
	exact map[orgKey]relation.Tuple
	// usersets and objects are by object and relation.
	usersets, objects map[orgPair][]relation.Tuple
	more              bool
}

type orgKey struct {
	org workspace.ID
	key relation.Key
}

type orgPair struct {
	org  workspace.ID
	pair relation.Pair
}

// The parts of the result of readLevel.
const (
	partHead = iota
	partExact
	partUsersets
	partObjects
)

// levelRow is a row of readLevel; that of a head has only Revision and ModelVersion.
type levelRow struct {
	tupleRow

	Part         int64 `db:"part"`
	Revision     int64 `db:"revision"`
	ModelVersion int64 `db:"model_version"`
}

// wanted holds the parameters of readLevel, without duplicates.
type wanted struct {
	exact, usersets, objects, orgs sqlstore.Rows
	// memberships and groups are the exact tuples and the objects of groups, whose members are
	// stored as group_members and not as tuples.
	memberships, groups sqlstore.Rows
}

func newWanted(asks []relationAsk) wanted {
	var w wanted
	seen := map[[3]string]bool{}
	for _, ask := range asks {
		org := ask.org.String()
		once := func(to *sqlstore.Rows, part, what string, row ...any) {
			if key := [3]string{part, org, what}; !seen[key] {
				seen[key] = true
				*to = append(*to, append([]any{org}, row...))
			}
		}
		once(&w.orgs, "org", "")
		for _, key := range ask.q.Exact {
			w.wantExact(once, key)
		}
		for _, pair := range ask.q.Usersets {
			once(&w.usersets, "usersets", pair.String(), pair.Object.String(), pair.Relation)
		}
		for _, pair := range ask.q.Objects {
			if pair.Native() {
				once(&w.groups, "groups", pair.String(), pair.Object.ID)
			} else {
				once(&w.objects, "objects", pair.String(), pair.Object.String(), pair.Relation)
			}
		}
	}
	return w
}

// wantExact adds a tuple, or the membership of a group that the tuple stands for.
func (w *wanted) wantExact(once func(to *sqlstore.Rows, part, what string, row ...any), key relation.Key) {
	who := key.Subject
	switch {
	case !relation.Pair{Object: key.Object, Relation: key.Relation}.Native():
		once(&w.exact, "exact", key.String(), key.Object.String(), key.Relation, kindOf(who), who.String())
	case !who.Userset() && who.Object == relation.User(who.ID):
		once(&w.memberships, "memberships", key.String(), key.Object.ID, who.ID)
	}
}

// readLevel reads the tuples of all queries by one statement, which uses primary keys alone.
func readLevel(ctx context.Context, q *sqlstore.Queries, asks []relationAsk, limit int) (*level, error) {
	w := newWanted(asks)
	const pairs = `{rows org text, object text, relation text}
			JOIN relation_tuples t ON t.object = r.object AND t.org_id = r.org AND t.relation = r.relation AND t.kind = `
	statement := `
		SELECT 1 AS part, ` + tupleColumns + `, 0 AS revision, 0 AS model_version
		FROM {rows org text, object text, relation text, kind bigint, subject text}
			JOIN relation_tuples t ON t.object = r.object AND t.org_id = r.org AND t.relation = r.relation
				AND t.kind = r.kind AND t.subject = r.subject
		UNION ALL SELECT * FROM (SELECT 2, ` + tupleColumns + `, 0, 0 FROM ` + pairs + `1 LIMIT ?) AS usersets
		UNION ALL SELECT * FROM (SELECT 3, ` + tupleColumns + `, 0, 0 FROM ` + pairs + `0 LIMIT ?) AS objects
		UNION ALL SELECT 0, h.org_id, '', '', '', '', '', NULL, NULL, h.revision, h.model_version
			FROM relation_heads h WHERE h.org_id {any org text}`
	args := []any{w.exact, w.usersets, limit + 1, w.objects, limit + 1, w.orgs}
	if len(w.memberships) > 0 {
		statement += ` UNION ALL SELECT 1, ` + membershipColumns + `, 0, 0 FROM {rows org text, id text, person text}
			JOIN group_members g ON g.group_id = r.id AND g.org_id = r.org AND g.user_id = r.person`
		args = append(args, w.memberships)
	}
	if len(w.groups) > 0 {
		statement += ` UNION ALL SELECT * FROM (SELECT 3, ` + membershipColumns + `, 0, 0 FROM {rows org text, id text}
			JOIN group_members g ON g.group_id = r.id AND g.org_id = r.org LIMIT ?) AS members`
		args = append(args, w.groups, limit+1)
	}
	var rows []levelRow
	if err := q.List(ctx, &rows, statement, args...); err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	return newLevel(rows, limit), nil
}

// newLevel indexes rows; at most limit of usersets and of objects were asked for.
func newLevel(rows []levelRow, limit int) *level {
	l := &level{
		heads: map[workspace.ID]workspaces.RelationHead{}, exact: map[orgKey]relation.Tuple{},
		usersets: map[orgPair][]relation.Tuple{}, objects: map[orgPair][]relation.Tuple{},
	}
	counts := [partObjects + 1]int{}
	for i := range rows {
		row := &rows[i]
		counts[row.Part]++
		if row.Part == partHead {
			l.heads[row.OrgID] = workspaces.RelationHead{Revision: relation.Revision(row.Revision), ModelVersion: row.ModelVersion}
			continue
		}
		t := row.tuple()
		pair := orgPair{row.OrgID, relation.Pair{Object: t.Object, Relation: t.Relation}}
		switch row.Part {
		case partExact:
			l.exact[orgKey{row.OrgID, t.Key}] = t
		case partUsersets:
			l.usersets[pair] = append(l.usersets[pair], t)
		case partObjects:
			l.objects[pair] = append(l.objects[pair], t)
		}
	}
	l.more = counts[partUsersets] > limit || counts[partObjects] > limit
	return l
}

// answer returns the answer to one query.
func (l *level) answer(ask relationAsk) relationAnswer {
	var found relation.QueryResult
	for _, key := range ask.q.Exact {
		if t, known := l.exact[orgKey{ask.org, key}]; known {
			found.Exact = append(found.Exact, t)
		}
	}
	for _, pair := range ask.q.Usersets {
		found.Usersets = append(found.Usersets, l.usersets[orgPair{ask.org, pair}]...)
	}
	for _, pair := range ask.q.Objects {
		found.Objects = append(found.Objects, l.objects[orgPair{ask.org, pair}]...)
	}
	found.More = l.more
	if limit := ask.q.Limit; len(found.Usersets) > limit || len(found.Objects) > limit {
		found.More = true
		found.Usersets = found.Usersets[:min(limit, len(found.Usersets))]
		found.Objects = found.Objects[:min(limit, len(found.Objects))]
	}
	return relationAnswer{found, l.heads[ask.org]}
}
