package jobs

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/ports/outbound/ops"
)

// ListParams are the parameters of JOB.LIST.
type ListParams struct {
	Kind   job.Kind   `json:"kind,omitzero" doc:"Returns only jobs of this kind." jsonschema:"maxLength=64,pattern=^[a-z_.]+$,example=user.bulk_export"`
	Status job.Status `json:"status,omitzero" doc:"Returns only jobs with this status." jsonschema:"enum=queued,enum=running,enum=succeeded,enum=failed,enum=canceled"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Job]]{
		Name:        "JOB.LIST",
		Summary:     "List jobs.",
		Description: "Returns your own jobs, newest first. With `jobs:read`, you also see the jobs of the active workspace. Superadmins see all jobs.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Job], error) {
			query := ops.JobQuery{Maker: call.Caller, All: call.Caller.Superadmin, Kind: p.Kind, Status: p.Status}
			if call.Caller.May("jobs:read") {
				query.Org = call.Caller.Org
			}
			list := s.Cursors.List(fmt.Sprintf("JOB.LIST|%s|%s|%v", call.Caller.Subject(), query.Org, query.All), p.Params)
			return page.Read(list, func(j job.Snapshot) string { return j.ID.String() }, show, func(before string, most int) ([]job.Snapshot, error) {
				query.Before, query.Limit = job.ID(before), most
				return s.Directory.List(ctx, query)
			})
		},
	})
}
