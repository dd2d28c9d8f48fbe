package relations

import (
	"context"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// SubjectListParams are the parameters of RELATION.SUBJECT_LIST.
type SubjectListParams struct {
	Paging

	Object   relation.Object `json:"object" doc:"Object that the subjects are related to."`
	Relation relation.Name   `json:"relation" doc:"Relation that the model defines for the type of the object."`
	Type     string          `json:"type,omitzero" doc:"Only subjects of this type (user), or usersets of a type and relation (team#member). Omit to list all subjects that are not usersets." jsonschema:"minLength=1,maxLength=305,example=user"`
	Context  map[string]any  `json:"context,omitzero" doc:"Values for the parameters of conditions." example:"-"`
}

// SubjectListResult is the result of RELATION.SUBJECT_LIST.
type SubjectListResult struct {
	Items      []string `json:"items" doc:"Subjects of this page, sorted by name. If many candidates had to be checked, the page may have fewer items than the limit."`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page. Null on the last page."`
}

func (s *Service) subjectList() command.Definition {
	return command.Define(command.Spec[SubjectListParams, SubjectListResult]{
		Name:    "RELATION.SUBJECT_LIST",
		Summary: "List the subjects that have a relation to an object.",
		Description: "If everybody of a type has the relation, the list contains one entry such as `user:*`.\n" +
			"Subjects that the model excludes from everybody are not reported.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SubjectListParams) (SubjectListResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return SubjectListResult{}, err
			}
			name, err := p.scope(org.String())
			if err != nil {
				return SubjectListResult{}, err
			}
			about := relation.Question{Object: p.Object, Relation: string(p.Relation), Context: p.Context}
			items, next, err := listed(s.Cursors.List(name, p.params()), p.params(), func(part relation.List) ([]relation.Subject, string, error) {
				return s.Relating.Subjects(ctx, org, about, p.Type, part)
			})
			return SubjectListResult{items, next}, err
		},
	})
}

// scope names the list: another context makes another one.
func (p SubjectListParams) scope(org string) (string, error) {
	context, err := json.Marshal(p.Context, json.Deterministic(true))
	return scope("RELATION.SUBJECT_LIST", org, p.Object.String(), string(p.Relation), p.Type, string(context)), err
}
