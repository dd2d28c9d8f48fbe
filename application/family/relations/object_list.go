package relations

import (
	"context"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// ObjectListParams are the parameters of RELATION.OBJECT_LIST.
type ObjectListParams struct {
	Paging

	Subject  relation.Subject `json:"subject" doc:"Subject that has the relation."`
	Relation relation.Name    `json:"relation" doc:"Relation that the model defines for the type."`
	Type     string           `json:"type" doc:"Type of the objects." jsonschema:"minLength=1,maxLength=254,example=document"`
	Context  map[string]any   `json:"context,omitzero" doc:"Values for the parameters of conditions." example:"-"`
}

// ObjectListResult is the result of RELATION.OBJECT_LIST.
type ObjectListResult struct {
	Items      []string `json:"items" doc:"Objects of this page, sorted by name. If many candidates had to be checked, the page may have fewer items than the limit."`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page. Null on the last page."`
}

func (s *Service) objectList() command.Definition {
	return command.Define(command.Spec[ObjectListParams, ObjectListResult]{
		Name:        "RELATION.OBJECT_LIST",
		Summary:     "List the objects that a subject has a relation to.",
		Description: "The list contains exactly the objects of the type for which `RELATION.CHECK` returns true.",
		Access:      access.Holding(read),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ObjectListParams) (ObjectListResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ObjectListResult{}, err
			}
			name, err := p.scope(org.String())
			if err != nil {
				return ObjectListResult{}, err
			}
			of := relation.Question{Object: relation.Object{Type: p.Type}, Relation: string(p.Relation), Subject: p.Subject, Context: p.Context}
			items, next, err := listed(s.Cursors.List(name, p.params()), p.params(), func(part relation.List) ([]relation.Object, string, error) {
				return s.Relating.Objects(ctx, org, of, part)
			})
			return ObjectListResult{items, next}, err
		},
	})
}

// scope names the list: another context makes another one.
func (p ObjectListParams) scope(org string) (string, error) {
	context, err := json.Marshal(p.Context, json.Deterministic(true))
	return scope("RELATION.OBJECT_LIST", org, p.Subject.String(), string(p.Relation), p.Type, string(context)), err
}

// listed reads a part of a list where its cursor says.
func listed[T interface{ String() string }](list page.List, p page.Params, read func(relation.List) ([]T, string, error)) (texts []string, next *string, err error) {
	after, err := list.Position()
	if err != nil {
		return nil, nil, err
	}
	items, end, err := read(relation.List{After: after, Size: p.Size()})
	texts = make([]string, len(items))
	for i, one := range items {
		texts[i] = one.String()
	}
	return texts, list.Next(end), err
}
