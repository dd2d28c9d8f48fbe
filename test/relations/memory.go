package relations

import (
	"context"
	"slices"
	"strings"

	"gatehouse.internal/domain/relation"
)

// Memory holds tuples in memory.
type Memory []relation.Tuple

var _ relation.Lister = Memory{}

func set[T comparable](all []T) map[T]bool {
	made := make(map[T]bool, len(all))
	for _, one := range all {
		made[one] = true
	}
	return made
}

// Read looks at every tuple.
func (m Memory) Read(_ context.Context, q relation.Query) (relation.QueryResult, error) {
	var found relation.QueryResult
	exact, usersets, objects := set(q.Exact), set(q.Usersets), set(q.Objects)
	for _, t := range m {
		pair := relation.Pair{Object: t.Object, Relation: t.Relation}
		if exact[t.Key] {
			found.Exact = append(found.Exact, t)
		}
		if t.Subject.Userset() && usersets[pair] {
			found.Usersets = append(found.Usersets, t)
		}
		if !t.Subject.Userset() && objects[pair] {
			found.Objects = append(found.Objects, t)
		}
	}
	found.More = len(found.Usersets) > q.Limit || len(found.Objects) > q.Limit
	found.Usersets = found.Usersets[:min(q.Limit, len(found.Usersets))]
	found.Objects = found.Objects[:min(q.Limit, len(found.Objects))]
	return found, nil
}

// Related looks at every tuple.
func (m Memory) Related(_ context.Context, sources []relation.Source, limit int) ([]relation.Tuple, error) {
	var found []relation.Tuple
	of := set(sources)
	for _, t := range m {
		if len(found) < limit && of[relation.Source{Subject: t.Subject, Relation: t.Relation, Type: t.Object.Type}] {
			found = append(found, t)
		}
	}
	return found, nil
}

// Objects looks at every tuple.
func (m Memory) Objects(ctx context.Context, sources []relation.Source, after string, limit int) ([]relation.Object, error) {
	all, err := m.Related(ctx, sources, len(m))
	return part(all, func(t relation.Tuple) relation.Object { return t.Object }, after, limit), err
}

// Shaped looks at every tuple.
func (m Memory) Shaped(_ context.Context, shapes []string, after string, limit int) ([]relation.Object, error) {
	var all []relation.Tuple
	for _, t := range m {
		if slices.Contains(shapes, t.Shape()) {
			all = append(all, t)
		}
	}
	return part(all, func(t relation.Tuple) relation.Object { return t.Object }, after, limit), nil
}

// Subjects looks at every tuple.
func (m Memory) Subjects(_ context.Context, pairs []relation.Pair, of, after string, limit int) ([]relation.Subject, error) {
	var all []relation.Tuple
	for _, t := range m {
		named := slices.Contains(pairs, relation.Pair{Object: t.Object, Relation: t.Relation})
		if named && !t.Subject.Userset() && (of == "" || t.Subject.Type == of) {
			all = append(all, t)
		}
	}
	return part(all, func(t relation.Tuple) relation.Subject { return t.Subject }, after, limit), nil
}

// part returns what tuples name, each once and in order, after a text.
func part[T interface {
	comparable
	String() string
}](all []relation.Tuple, name func(relation.Tuple) T, after string, limit int) []T {
	var found []T
	for _, t := range all {
		if one := name(t); one.String() > after {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b T) int { return strings.Compare(a.String(), b.String()) })
	found = slices.Compact(found)
	return found[:min(limit, len(found))]
}
