package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// BulkDeleteParams are the parameters of USER.BULK_DELETE.
type BulkDeleteParams struct {
	UserIDs []user.ID `json:"user_ids" doc:"IDs of the accounts to delete. An account that cannot be deleted, or no longer exists at its turn, is reported and does not stop the others." jsonschema:"minItems=1,maxItems=10000,uniqueItems=true"`
	Reason  string    `json:"reason,omitzero" doc:"Reason for the deletion, in your words. Recorded in the audit log." jsonschema:"minLength=1,maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=left the company"`
}

const bulkDeleteDescription = "Each account is deleted under the rules of `USER.DELETE`.\n\n" +
	"Use `JOB.GET` to follow the job, and `JOB.RESULT_GET` to list the accounts that could not be deleted."

func (s *Service) bulkDelete() command.Definition {
	return command.Define(command.Spec[BulkDeleteParams, JobResult]{
		Name:        "USER.BULK_DELETE",
		Summary:     "Start a job that deletes up to 10,000 accounts permanently.",
		Description: bulkDeleteDescription,
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{job.KindCreated, user.KindDeleted, session.KindRevoked, license.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p BulkDeleteParams) (JobResult, error) {
			there, err := s.Directory.Count(ctx, people.UserQuery{Among: p.UserIDs, Now: s.Clock.Now()})
			if err == nil && there == 0 {
				err = user.ErrNotFound
			}
			if err != nil {
				return JobResult{}, err
			}
			input := make([][]byte, len(p.UserIDs))
			for i, id := range p.UserIDs {
				input[i] = []byte(id)
			}
			started, err := s.Jobs.Start(ctx, call.Caller, jobs.Order{Kind: deletionKind, Needs: manage, Params: command.None{}, Input: input, Reason: p.Reason})
			return JobResult{JobID: started}, err
		},
	})
}
