package relations

import (
	"context"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// ListParams are the parameters of RELATION.LIST.
type ListParams struct {
	Filter
	Paging
}

// ListResult is the result of RELATION.LIST.
type ListResult struct {
	Items      []Tuple `json:"items" doc:"Tuples of this page."`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the next page. Null on the last page."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "RELATION.LIST",
		Summary: "List stored relation tuples.",
		Description: "Lists all tuples, or those that match an object, a relation or a subject. Tuples are returned as they were written.\n" +
			"To find out what follows from them, use `RELATION.CHECK`.\n\n" +
			"Tuples are in an internal order. Expired tuples are left out.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ListResult{}, err
			}
			list := s.Cursors.List(scope("RELATION.LIST", org.String(), p.Object.String(), string(p.Relation), p.Subject.String()), p.params())
			found, err := page.Read(list, position, show, func(after string, most int) ([]relation.Tuple, error) {
				return s.stored(ctx, org, p.Filter, after, most)
			})
			return ListResult{found.Items, found.NextCursor}, err
		},
	})
}

// stored lists tuples after a position.
func (s *Service) stored(ctx context.Context, org workspace.ID, f Filter, after string, most int) ([]relation.Tuple, error) {
	m, err := s.Relating.Current(ctx, org)
	if err != nil {
		return nil, none(err)
	}
	query := f.query(m)
	query.Limit = most
	if parts := strings.Split(after, "\n"); len(parts) == markParts {
		query.After = &workspaces.RelationMark{Shape: parts[0], Object: parts[1], Subject: parts[2]}
	}
	return s.Relating.Directory.Tuples(ctx, org, query)
}

// markParts is how many parts a position has.
const markParts = 3

// position is where a list goes on after a tuple.
func position(t relation.Tuple) string {
	return strings.Join([]string{t.Shape(), t.Object.String(), t.Subject.String()}, "\n")
}
