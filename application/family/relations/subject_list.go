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

	Object   relation.Object `json:"object" doc:"What they are related to."`
	Relation relation.Name   `json:"relation" doc:"A relation that the model gives the type of the object."`
	Type     string          `json:"type,omitzero" doc:"Only subjects of this type (user), or usersets of a type and a relation (team#member); absent: all that are no usersets." jsonschema:"minLength=1,maxLength=305,example=user"`
	Context  map[string]any  `json:"context,omitzero" doc:"Values for the parameters of conditions." example:"-"`
}

// SubjectListResult is the result of RELATION.SUBJECT_LIST.
type SubjectListResult struct {
	Items      []string `json:"items" doc:"The subjects of this page, in the order of their names; where much had to be looked at it may have fewer than the limit."`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

func (s *Service) subjectList() command.Definition {
	return command.Define(command.Spec[SubjectListParams, SubjectListResult]{
		Name: "RELATION.SUBJECT_LIST",
		Summary: "List the subjects that have a relation to an object. Everybody of a type stands in it as user:*; " +
			"whom the model takes away from that is not told.",
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
