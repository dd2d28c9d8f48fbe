package relations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// shownMisfits is how many of the tuples that would not fit are named.
const shownMisfits = 3

// ModelSetParams are the parameters of RELATION.MODEL_SET.
type ModelSetParams struct {
	Model Model `json:"model" doc:"OpenFGA authorization model (schema 1.1), as a JSON object or as a string in the OpenFGA DSL. At most 256 KiB, 100 types, 1,000 relations, 5,000 operators and operands of rewrites, 2,500 listed subject types and 100 conditions. Conditions are CEL expressions."`
}

// ModelSetResult is the result of RELATION.MODEL_SET.
type ModelSetResult struct {
	Version  int64    `json:"version" doc:"Version of the current model. Unchanged if the model is the same."`
	Warnings []string `json:"warnings" doc:"Warnings about what is probably unintended."`
}

func (s *Service) modelSet() command.Definition {
	return command.Define(command.Spec[ModelSetParams, ModelSetResult]{
		Name:    "RELATION.MODEL_SET",
		Summary: "Publish a new version of the relation model.",
		Description: "The new version takes effect immediately. If stored tuples would no longer fit the model, the call fails and the error names " +
			"some of them.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{relation.KindModelSet},
		Handle: func(ctx context.Context, call command.Call, p ModelSetParams) (ModelSetResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ModelSetResult{}, err
			}
			next, err := p.Model.parse()
			if err != nil {
				return ModelSetResult{}, err
			}
			if err := s.compiles(ctx, org, next); err != nil {
				return ModelSetResult{}, err
			}
			text, err := next.Encode()
			if err != nil {
				return ModelSetResult{}, err
			}
			result := ModelSetResult{Warnings: next.Warnings()}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				result.Version, err = s.publish(ctx, tx, org, next, string(text))
				return err
			})
			return result, err
		},
	})
}

// compiles fails with what is wrong with the conditions of a model.
func (s *Service) compiles(ctx context.Context, org workspace.ID, m *relation.Model) error {
	if err := s.Relating.Prepare(ctx, org, m); err != nil {
		return err
	}
	var faults []fault.Field
	for _, c := range m.Conditions {
		_, err := s.Relating.Compile(ctx, org, c)
		wrong, ok := errors.AsType[*outbound.ExpressionError](err)
		switch {
		case ok:
			faults = append(faults, fault.Field{
				Path:    "/model/conditions" + fault.Pointer(c.Name) + "/expression",
				Message: fmt.Sprintf("is invalid (condition %s, line %d, column %d): %s", c.Name, wrong.Line, wrong.Column, wrong.Message),
			})
		case err != nil:
			return err
		}
	}
	if faults != nil {
		return fault.Refuse(faults...)
	}
	return nil
}

// publish stores a model unless it is the one in force, and returns its version.
func (s *Service) publish(ctx context.Context, tx Repos, org workspace.ID, next *relation.Model, text string) (int64, error) {
	head, err := tx.Relations.Hold(ctx, org)
	if err != nil {
		return 0, err
	}
	var was any
	if head.ModelVersion > 0 {
		before, err := tx.Relations.Model(ctx, org, head.ModelVersion)
		if err != nil || before.Text == text {
			return head.ModelVersion, err
		}
		was = json.RawMessage(before.Text)
		if err := s.replaceable(ctx, tx, org, head, next); err != nil {
			return 0, err
		}
	}
	head.ModelVersion++
	head.Revision++
	if err := tx.Relations.Move(ctx, org, head, workspaces.RelationModel{Text: text, CreatedAt: s.Clock.Now()}); err != nil {
		return 0, err
	}
	change, err := aggregate.Between("", was, json.RawMessage(text))
	if err != nil {
		return 0, err
	}
	return head.ModelVersion, tx.Events.RecordChange(ctx, relation.ModelSet{OrgID: org, Version: head.ModelVersion}, change)
}

// replaceable fails when stored tuples, which fit the model in force, do not fit the next.
func (s *Service) replaceable(ctx context.Context, tx Repos, org workspace.ID, head workspaces.RelationHead, next *relation.Model) error {
	before, err := s.Relating.Model(ctx, org, head, tx.Relations)
	if err != nil {
		return err
	}
	misfits, err := tx.Relations.Stored(ctx, org, workspaces.RelationQuery{Shapes: before.Gone(next), Limit: shownMisfits})
	if err != nil || len(misfits) == 0 {
		return err
	}
	names := make([]string, len(misfits))
	for i, t := range misfits {
		names[i] = t.String()
	}
	return fault.Unfit("/model", "does not fit stored tuples, such as "+strings.Join(names, ", ")+": delete them first")
}
