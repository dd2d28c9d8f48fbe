package relations

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// Question is a question in parameters.
type Question struct {
	Object   relation.Object  `json:"object" doc:"What somebody may be related to."`
	Relation relation.Name    `json:"relation" doc:"A relation that the model gives the type of the object."`
	Subject  relation.Subject `json:"subject" doc:"Who may be related: user:usr_…, everybody of a type (user:*), or a userset (team:1#member)."`
	Context  map[string]any   `json:"context,omitzero" doc:"Values for the parameters of conditions." example:"-"`
}

func (q Question) asked() relation.Question {
	return relation.Question{Object: q.Object, Relation: string(q.Relation), Subject: q.Subject, Context: q.Context}
}

// AtLeast is the parameter of answers that must not be older than a change.
type AtLeast struct {
	AtLeast string `json:"at_least,omitzero" doc:"A revision of this workspace, as a change answered it: the answer is at that one or newer. It always is, as every answer is made of what is stored." jsonschema:"maxLength=20,pattern=^[0-9]+$" example:"-"`
}

// CheckParams are the parameters of RELATION.CHECK.
type CheckParams struct {
	Question
	AtLeast
}

// CheckResult is the result of RELATION.CHECK.
type CheckResult struct {
	Allowed  bool   `json:"allowed" doc:"Whether the subject has the relation to the object."`
	Revision string `json:"revision" doc:"Revision of the workspace's relations that was looked at."`
}

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name: "RELATION.CHECK",
		Summary: "Tell whether a subject has a relation to an object by the model and the tuples of the workspace. " +
			"A question that takes more than 25 tuples one behind another, 10,000 in all or too many steps is refused, never answered by false.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CheckParams) (CheckResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return CheckResult{}, err
			}
			found, err := s.Relating.Check(ctx, org, p.AtLeast.AtLeast, func(int) string { return "" }, p.asked())
			if err != nil {
				return CheckResult{}, err
			}
			return CheckResult{found.Allowed[0], found.Revision.String()}, nil
		},
	})
}
