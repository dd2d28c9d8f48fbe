package relations

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// Question is a question in parameters.
type Question struct {
	Object   relation.Object  `json:"object" doc:"Object that the subject may be related to."`
	Relation relation.Name    `json:"relation" doc:"Relation that the model defines for the type of the object."`
	Subject  relation.Subject `json:"subject" doc:"Subject that may have the relation: a user (user:usr_…), everybody of a type (user:*), or a userset (team:1#member)."`
	Context  map[string]any   `json:"context,omitzero" doc:"Values for the parameters of conditions." example:"-"`
}

func (q Question) asked() relation.Question {
	return relation.Question{Object: q.Object, Relation: string(q.Relation), Subject: q.Subject, Context: q.Context}
}

// AtLeast is the parameter of answers that must not be older than a change.
type AtLeast struct {
	AtLeast string `json:"at_least,omitzero" doc:"Revision of the workspace, as returned by a change. The answer is based on this revision or a newer one. This always holds, because every answer is computed from the stored data." jsonschema:"maxLength=20,pattern=^[0-9]+$" example:"-"`
}

// CheckParams are the parameters of RELATION.CHECK.
type CheckParams struct {
	Question
	AtLeast
}

// CheckResult is the result of RELATION.CHECK.
type CheckResult struct {
	Allowed  bool   `json:"allowed" doc:"Whether the subject has the relation to the object."`
	Revision string `json:"revision" doc:"Revision of the workspace's relations that the answer is based on."`
}

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name:    "RELATION.CHECK",
		Summary: "Check whether a subject has a relation to an object.",
		Description: "The answer follows from the model and the tuples of the workspace.\n\n" +
			"A check that is too expensive fails with an error and never returns false. The limits are a chain of 25 tuples,\n" +
			"10,000 tuples in total, and a maximum number of steps.",
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
