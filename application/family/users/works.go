package users

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
)

// deletionKind is the kind of job that deletes.
const deletionKind job.Kind = "user.bulk_delete"

// Works lists what the family's jobs do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{
		exportKind:   s.export(),
		deletionKind: s.deletion(),
		importKind:   s.importWork(),
	}
}

// Refusal is a row about an item of a job that was refused.
type refusal struct {
	Item    string        `json:"item"`
	Code    fault.Code    `json:"code"`
	Message string        `json:"message"`
	Fields  []fault.Field `json:"fields,omitempty"`
}

// refuse adds to a step what a rule said against an item; any other error is the step's.
func refuse(step *job.Step, item string, err error) error {
	said := fault.From(err)
	if said.Code == fault.Internal {
		return err
	}
	row, err := strictjson.Encode(refusal{item, said.Code, said.Message, said.Fields})
	step.Errors = append(step.Errors, row)
	return err
}

// deletion returns the work of USER.BULK_DELETE: one account a step, by the rules of
// USER.DELETE. An account of one's own is deleted by that alone, which asks for the
// password.
func (s *Service) deletion() jobs.Work {
	return jobs.Work{Batch: 1, Step: func(ctx context.Context, at jobs.StepContext) (job.Step, error) {
		step := job.Step{Done: len(at.Input), Finished: at.Job.Done+len(at.Input) >= at.Job.Total}
		for _, item := range at.Input {
			id := user.ID(item)
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if id == at.Caller.User {
					return errOneself
				}
				return s.remove(ctx, tx, at.Caller, id)
			})
			if err == nil {
				continue
			}
			if err := refuse(&step, id.String(), err); err != nil {
				return job.Step{}, fmt.Errorf("delete %s: %w", id, err)
			}
		}
		return step, nil
	}}
}
