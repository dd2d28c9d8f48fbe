package audit

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
)

// exportKind is the kind of job that exports.
const exportKind job.Kind = "audit.export"

// exportBatch is how many events a step reads.
const exportBatch = 500

// Works lists what jobs of the family do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{exportKind: {Step: s.exportStep}}
}

// exportPoint is where the next step of an export begins.
type exportPoint struct {
	Before event.ID `json:"before"`
}

// exportStep pages through the events from the newest down. Without a workspace they are
// those of everybody.
func (s *Service) exportStep(ctx context.Context, at jobs.StepContext) (job.Step, error) {
	params, err := jobs.Params[ExportParams](at)
	if err != nil {
		return job.Step{}, err
	}
	var from exportPoint
	if len(at.Job.Saved) > 0 {
		if err := strictjson.Decode(at.Job.Saved, &from); err != nil {
			return job.Step{}, fmt.Errorf("decode the position of an export: %w", err)
		}
	}
	query := params.query()
	query.Org, query.Before, query.Limit = at.Job.OrgID, from.Before, exportBatch
	found, err := s.Trail.Search(ctx, query)
	if err != nil {
		return job.Step{}, err
	}
	step := job.Step{Done: len(found), Finished: len(found) < exportBatch}
	if step.Rows, err = exportRows(found, params.Format, at.Job.Rows == 0); err != nil {
		return job.Step{}, err
	}
	if !step.Finished {
		step.Saved, err = strictjson.Encode(exportPoint{found[len(found)-1].ID})
		return step, err
	}
	return step, s.Unit.Do(ctx, func(tx Repos) error {
		return tx.Events.Record(ctx, audit.Exported{
			JobID: at.Job.ID, UserID: at.Job.Maker.UserID, OrgID: at.Job.OrgID, From: params.From, To: params.To, Entries: at.Job.Done + len(found),
		})
	})
}

// exportRows writes events in a format; CSV begins with the header.
func exportRows(found []event.Record, format jobs.Format, first bool) ([][]byte, error) {
	var lines []any
	if format == jobs.CSV && first {
		lines = append(lines, jobs.CSVLine([]string{
			"id", "type", "at", "outcome", "user_id", "org_id", "actor_kind", "actor_id", "session_id", "ip", "user_agent", "request_id", "command", "data", "on_behalf_of",
		}))
	}
	for _, r := range found {
		if format != jobs.CSV {
			lines = append(lines, view.OfEvent(r))
			continue
		}
		lines = append(lines, jobs.CSVLine([]string{
			r.ID.String(), string(r.Kind), r.At.Format(time.RFC3339Nano), string(r.Outcome), r.UserID, r.OrgID, r.Origin.ActorKind, r.Origin.ActorID,
			r.Origin.Credential, r.Origin.IP, r.Origin.UserAgent, r.Origin.RequestID, r.Origin.Command, string(r.Data), r.Origin.OnBehalfOf,
		}))
	}
	rows := make([][]byte, len(lines))
	for i, line := range lines {
		var err error
		if rows[i], err = strictjson.Encode(line); err != nil {
			return nil, fmt.Errorf("encode a row of an export: %w", err)
		}
	}
	return rows, nil
}
