package users

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
)

// importKind is the kind of job that imports.
const importKind job.Kind = "user.bulk_import"

// importAtOnce is how many rows a call imports by itself: what takes a few seconds at
// most. More are a job.
const importAtOnce = 1000

// importOrder is what a job that imports was asked for, besides its rows.
type importOrder struct {
	Mapping     Mapping `json:"mapping,omitempty"`
	OnConflict  string  `json:"on_conflict,omitzero"`
	SendInvites bool    `json:"send_invites,omitzero"`
}

// importLater starts a job for the rows of a call, which wait sealed.
func (s *Service) importLater(ctx context.Context, caller access.Caller, p BulkImportParams) (BulkImportResult, error) {
	input := make([][]byte, len(p.Users))
	for i, row := range p.Users {
		var err error
		if input[i], err = strictjson.Encode(row); err != nil {
			return BulkImportResult{}, fmt.Errorf("encode a row of an import: %w", err)
		}
	}
	started, err := s.Jobs.Start(ctx, caller, jobs.Order{
		Kind: importKind, Needs: manage, ContentType: jobs.Format("").ContentType(), Input: input,
		Params: importOrder{p.Mapping, p.OnConflict, p.SendInvites},
	})
	return BulkImportResult{JobID: started}, err
}

// importWork returns the work of USER.BULK_IMPORT, by the rules of a call. What became of each
// row is a row of the result, and one of the errors where it is wrong.
func (s *Service) importWork() jobs.Work {
	rows := schema.Of(reflect.TypeFor[ImportRow]())
	return jobs.Work{Batch: importBatch, Step: func(ctx context.Context, at jobs.StepContext) (job.Step, error) {
		order, err := jobs.Params[importOrder](at)
		if err != nil {
			return job.Step{}, err
		}
		upstream := make([]UpstreamUser, len(at.Input))
		for i, row := range at.Input {
			if err := strictjson.Decode(row, &upstream[i]); err != nil {
				return job.Step{}, fmt.Errorf("decode a row of an import: %w", err)
			}
		}
		report, sound := rowReader{schema: rows, mapping: order.Mapping, hashes: s.Passwords.Hasher}.sound(upstream)
		store := rowStore{Service: s, caller: at.Caller, onConflict: order.OnConflict, invites: order.SendInvites}
		if err := store.some(ctx, sound); err != nil {
			return job.Step{}, fmt.Errorf("import accounts: %w", err)
		}
		step := job.Step{Done: len(report), Finished: at.Job.Done+len(report) >= at.Job.Total}
		for i, o := range report {
			if err := tellRow(&step, at.Job.Done+i, o); err != nil {
				return job.Step{}, err
			}
		}
		return step, nil
	}}
}

// tellRow adds what became of a row to a step.
func tellRow(step *job.Step, index int, o outcome) error {
	row, err := strictjson.Encode(ImportItem{Index: index, Status: o.status, UserID: o.user})
	if err != nil {
		return fmt.Errorf("encode a row of an import: %w", err)
	}
	step.Rows = append(step.Rows, row)
	if o.status != statusFailed {
		return nil
	}
	return refuse(step, strconv.Itoa(index), fault.Refuse(o.complaints...))
}
