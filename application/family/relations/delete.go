package relations

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// mostDeleted is how many tuples a filter deletes at once, so that one transaction stays
// short.
const mostDeleted = 10_000

var (
	errEither = fault.Invalid("/tuples", "provide either tuples or filter, not both")
	errWhole  = fault.Unfit("/filter", "must name an object, a relation or a subject")
)

// DeleteTuple names a tuple.
type DeleteTuple struct {
	Object   relation.Object  `json:"object" doc:"Object of the tuple."`
	Relation relation.Name    `json:"relation" doc:"Relation of the tuple."`
	Subject  relation.Subject `json:"subject" doc:"Subject of the tuple."`
}

// Filter narrows tuples by their parts.
type Filter struct {
	Object   relation.Object  `json:"object,omitzero" doc:"Only tuples with this object."`
	Relation relation.Name    `json:"relation,omitzero" doc:"Only tuples with this relation." example:"-"`
	Subject  relation.Subject `json:"subject,omitzero" doc:"Only tuples with this subject." example:"-"`
}

// DeleteParams are the parameters of RELATION.DELETE.
type DeleteParams struct {
	Tuples []DeleteTuple `json:"tuples,omitzero" doc:"Tuples to delete. Tuples that do not exist are ignored. Provide either tuples or filter." jsonschema:"minItems=1,maxItems=100"`
	Filter *Filter       `json:"filter,omitzero" doc:"Filter for the tuples to delete. Must name an object, a relation or a subject. Tuples must match all given parts." example:"-"`
}

// DeleteResult is the result of RELATION.DELETE.
type DeleteResult struct {
	Deleted  int    `json:"deleted" doc:"Number of tuples deleted."`
	Revision string `json:"revision" doc:"Revision of the workspace's relations after the deletion."`
	More     bool   `json:"more" doc:"Whether the filter matches more tuples. Call the command again to delete them."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "RELATION.DELETE",
		Summary:     "Delete relation tuples.",
		Description: "Provide either a list of tuples, or a filter that matches them. A filter deletes at most 10,000 tuples per call.",
		Access:      access.Holding(write),
		Effect:      command.Writes,
		Emits:       []event.Kind{relation.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return DeleteResult{}, err
			}
			if err := p.check(); err != nil {
				return DeleteResult{}, err
			}
			var result DeleteResult
			err = s.Unit.Do(ctx, func(tx Repos) error {
				result, err = s.remove(ctx, tx, org, p)
				return err
			})
			return result, err
		},
	})
}

func (p DeleteParams) check() error {
	switch {
	case (len(p.Tuples) > 0) == (p.Filter != nil):
		return errEither
	case p.Filter != nil && *p.Filter == Filter{}:
		return errWhole
	}
	return nil
}

func (s *Service) remove(ctx context.Context, tx Repos, org workspace.ID, p DeleteParams) (DeleteResult, error) {
	var keys []relation.Key
	more := false
	changed, err := s.changing(ctx, tx, org, func(m *relation.Model) (int, error) {
		var err error
		if keys, more, err = p.keys(ctx, tx, org, m); err != nil || len(keys) == 0 {
			return 0, err
		}
		count := 0
		for part := range slices.Chunk(keys, mostTuples*mostTuples/10) {
			n, err := tx.Relations.Delete(ctx, org, part)
			if err != nil {
				return 0, err
			}
			count += n
		}
		return count, nil
	})
	result := DeleteResult{changed.count, changed.revision.String(), more}
	if err != nil || changed.count == 0 {
		return result, none(err)
	}
	return result, tx.Events.Record(ctx, relation.Deleted{
		OrgID: org, Revision: result.Revision, Count: result.Deleted, Tuples: texts(keys),
	})
}

// keys returns those of the tuples to delete, and whether the filter finds more.
func (p DeleteParams) keys(ctx context.Context, tx Repos, org workspace.ID, m *relation.Model) (keys []relation.Key, more bool, err error) {
	for _, t := range p.Tuples {
		keys = append(keys, relation.Key{Object: t.Object, Relation: string(t.Relation), Subject: t.Subject})
	}
	if p.Filter == nil {
		return keys, false, nil
	}
	query := p.Filter.query(m)
	query.Limit = mostDeleted + 1
	found, err := tx.Relations.Stored(ctx, org, query)
	for _, t := range found[:min(len(found), mostDeleted)] {
		keys = append(keys, t.Key)
	}
	return keys, len(found) > mostDeleted, err
}

// query asks for the tuples that a filter finds.
func (f Filter) query(m *relation.Model) workspaces.RelationQuery {
	query := workspaces.RelationQuery{Relation: string(f.Relation)}
	none := relation.Subject{}
	if f.Object != none.Object {
		query.Object = &f.Object
	}
	if f.Subject != none {
		query.Subject = &f.Subject
	}
	if query.Object == nil && query.Subject == nil {
		query.Shapes = shapes(m, query.Relation)
	}
	return query
}
