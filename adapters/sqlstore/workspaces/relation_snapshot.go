package workspaces

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// relationSnapshot reads the relations of a workspace within one transaction.
type relationSnapshot struct {
	q   *sqlstore.Queries
	now sqlstore.Instant
	org workspace.ID
}

// unexpired is the condition that a tuple t has not expired at a time, its parameter.
const unexpired = ` (t.expires_at IS NULL OR t.expires_at > ?)`

// highest sorts after every stored text.
const highest = "\U0010FFFF"

// Head reads the revision and the model version.
func (s relationSnapshot) Head(ctx context.Context) (workspaces.RelationHead, error) {
	head, _, err := relationHead(ctx, s.q, s.org, "")
	return head, err
}

// Model reads a version of the model.
func (s relationSnapshot) Model(ctx context.Context, version int64) (workspaces.RelationModel, error) {
	return relationModel(ctx, s.q, s.org, version)
}

// Read answers a query.
func (s relationSnapshot) Read(ctx context.Context, q relation.Query) (relation.QueryResult, error) {
	ask := relationAsk{s.org, q}
	read, err := readLevel(ctx, s.q, []relationAsk{ask}, q.Limit)
	if err != nil {
		return relation.QueryResult{}, err
	}
	return read.answer(ask).found, nil
}

// Related reads the tuples in which sources are the subjects.
func (s relationSnapshot) Related(ctx context.Context, sources []relation.Source, limit int) ([]relation.Tuple, error) {
	statement := `
		SELECT ` + tupleColumns + ` FROM {rows subject text, relation text, low text, high text}
			JOIN relation_tuples t ON t.subject = r.subject AND t.org_id = ? AND t.relation = r.relation
				AND t.object > r.low AND t.object < r.high
		WHERE` + unexpired
	args := []any{rowsOfSources(sources, ""), s.org.String(), s.now}
	if people := userIDs(sources); len(people) > 0 {
		statement += ` UNION ALL SELECT ` + membershipColumns + ` FROM group_members g WHERE g.org_id = ? AND g.user_id {any user_id text}`
		args = append(args, s.org.String(), people)
	}
	var found []tupleRow
	if err := s.q.List(ctx, &found, statement+` LIMIT ?`, append(args, limit)...); err != nil {
		return nil, fmt.Errorf("read what subjects are related to: %w", err)
	}
	return tuplesOf(found), nil
}

// rowsOfSources returns the subject and the relation of each source, and the range of its objects.
func rowsOfSources(sources []relation.Source, after string) sqlstore.Rows {
	rows := make(sqlstore.Rows, len(sources))
	for i, one := range sources {
		low, high := ofType(one.Type)
		rows[i] = []any{one.Subject.String(), one.Relation, max(low, after), high}
	}
	return rows
}

// Objects lists the first objects of sources after a text, sorted. Of each source it reads at most
// limit objects.
func (s relationSnapshot) Objects(ctx context.Context, sources []relation.Source, after string, limit int) ([]relation.Object, error) {
	const of = ` t.subject = %[1]s.subject AND t.org_id = ? AND t.relation = %[1]s.relation AND t.object > %[1]s.low`
	texts, err := s.first(ctx, `
		WITH bounds AS MATERIALIZED (
			SELECT r.subject, r.relation, r.low, COALESCE((
				SELECT t.object FROM relation_tuples t WHERE`+fmt.Sprintf(of, "r")+` AND t.object < r.high AND`+unexpired+`
				ORDER BY t.object LIMIT 1 OFFSET ?), r.high) AS high
			FROM {rows subject text, relation text, low text, high text})
		SELECT DISTINCT t.object FROM bounds JOIN relation_tuples t ON`+fmt.Sprintf(of, "bounds")+` AND t.object <= bounds.high
		WHERE`+unexpired+` ORDER BY t.object LIMIT ?`, rowsOfSources(sources, after), limit)
	if people := userIDs(sources); err == nil && len(people) > 0 {
		texts, err = s.merge(ctx, texts, limit, `
			SELECT DISTINCT 'group:' || g.group_id FROM group_members g
			WHERE g.org_id = ? AND g.user_id {any user_id text} AND 'group:' || g.group_id > ? ORDER BY 1 LIMIT ?`,
			s.org.String(), people, after, limit)
	}
	return objectsOf(texts), err
}

// Shaped lists the first objects of tuples of the shapes after a text, as Objects does.
func (s relationSnapshot) Shaped(ctx context.Context, shapes []string, after string, limit int) ([]relation.Object, error) {
	rows := make(sqlstore.Rows, len(shapes))
	for i, shape := range shapes {
		rows[i] = []any{shape, after}
	}
	const of = ` t.shape = %[1]s.shape AND t.org_id = ? AND t.object > %[1]s.low`
	texts, err := s.first(ctx, `
		WITH bounds AS MATERIALIZED (
			SELECT r.shape, r.low, COALESCE((
				SELECT DISTINCT t.object FROM relation_tuples t WHERE`+fmt.Sprintf(of, "r")+` AND`+unexpired+`
				ORDER BY t.object LIMIT 1 OFFSET ?), '`+highest+`') AS high
			FROM {rows shape text, low text})
		SELECT DISTINCT t.object FROM bounds JOIN relation_tuples t ON`+fmt.Sprintf(of, "bounds")+` AND t.object <= bounds.high
		WHERE`+unexpired+` ORDER BY t.object LIMIT ?`, rows, limit)
	if err == nil && slices.Contains(shapes, membershipShape) {
		texts, err = s.merge(ctx, texts, limit, `
			SELECT 'group:' || m.id FROM member_groups m
			WHERE m.org_id = ? AND 'group:' || m.id > ? AND EXISTS (SELECT 1 FROM group_members g WHERE g.group_id = m.id)
			ORDER BY m.id LIMIT ?`, s.org.String(), after, limit)
	}
	return objectsOf(texts), err
}

// Subjects lists the first subjects of relations after a text, as Objects does; of is their type,
// or "" for any.
func (s relationSnapshot) Subjects(ctx context.Context, pairs []relation.Pair, of, after string, limit int) ([]relation.Subject, error) {
	low, high := after, highest
	if of != "" {
		from, before := ofType(of)
		low, high = max(from, after), before
	}
	rows := make(sqlstore.Rows, len(pairs))
	for i, one := range pairs {
		rows[i] = []any{one.Object.String(), one.Relation, low, high}
	}
	const which = ` t.object = %[1]s.object AND t.org_id = ? AND t.relation = %[1]s.relation AND t.kind = 0 AND t.subject > %[1]s.low`
	texts, err := s.first(ctx, `
		WITH bounds AS MATERIALIZED (
			SELECT r.object, r.relation, r.low, COALESCE((
				SELECT t.subject FROM relation_tuples t WHERE`+fmt.Sprintf(which, "r")+` AND t.subject < r.high AND`+unexpired+`
				ORDER BY t.subject LIMIT 1 OFFSET ?), r.high) AS high
			FROM {rows object text, relation text, low text, high text})
		SELECT DISTINCT t.subject FROM bounds JOIN relation_tuples t ON`+fmt.Sprintf(which, "bounds")+` AND t.subject <= bounds.high
		WHERE`+unexpired+` ORDER BY t.subject LIMIT ?`, rows, limit)
	if groups := groupIDs(pairs); err == nil && len(groups) > 0 && (of == "" || relation.User("").Type == of) {
		texts, err = s.membersOf(ctx, texts, groups, low, limit)
	}
	found := make([]relation.Subject, len(texts))
	for i, text := range texts {
		found[i] = subjectOf(text)
	}
	return found, err
}

// first runs a statement of Objects, Shaped or Subjects.
func (s relationSnapshot) first(ctx context.Context, statement string, rows sqlstore.Rows, limit int) ([]string, error) {
	var texts []string
	org := s.org.String()
	if err := s.q.List(ctx, &texts, statement, org, s.now, limit-1, rows, org, s.now, limit); err != nil {
		return nil, fmt.Errorf("list by relations: %w", err)
	}
	return texts, nil
}

func objectsOf(texts []string) []relation.Object {
	found := make([]relation.Object, len(texts))
	for i, text := range texts {
		found[i] = objectOf(text)
	}
	return found
}
