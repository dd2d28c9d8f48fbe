package flows

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/ops"
)

// RunListParams are the parameters of FLOW.RUN_LIST.
type RunListParams struct {
	Name     flow.Name     `json:"name,omitzero" doc:"Only runs of this flow." example:"-"`
	Trigger  flow.Trigger  `json:"trigger,omitzero" doc:"Only runs of this trigger." example:"-"`
	Decision flow.Decision `json:"decision,omitzero" doc:"Only runs with this decision." example:"-"`
	UserID   user.ID       `json:"user_id,omitzero" doc:"Only runs about this account." example:"-"`
	From     time.Time     `json:"from,omitzero" doc:"Start of the period, inclusive." example:"-"`
	To       time.Time     `json:"to,omitzero" doc:"End of the period, exclusive." example:"-"`
	page.Params
}

// RunListResult is the result of FLOW.RUN_LIST.
type RunListResult = page.Of[Run]

func (s *Service) runList() command.Definition {
	return command.Define(command.Spec[RunListParams, RunListResult]{
		Name:    "FLOW.RUN_LIST",
		Summary: "List past flow runs, newest first.",
		Description: "Lists runs of the workspace's flows with their decision and duration. For superadmins, the list also contains runs of the " +
			"instance's flows.\n\n" +
			"Not every run is kept:\n\n" +
			"- Of runs that only allow, one in `flow_run_sample` is kept.\n" +
			"- Of refreshes and of tokens of apps, only runs that denied or required something are kept.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p RunListParams) (RunListResult, error) {
			orgs, err := scopes(call.Caller)
			if err != nil {
				return RunListResult{}, err
			}
			query := ops.FlowRunQuery{
				Orgs: orgs, Name: p.Name, Trigger: p.Trigger, Decision: p.Decision, User: p.UserID, From: p.From, To: p.To,
			}
			list := s.Cursors.List(fmt.Sprint("FLOW.RUN_LIST|", orgs), p.Params)
			return page.Read(list, func(r flow.Run) string { return r.ID.String() }, showRun, func(before string, most int) ([]flow.Run, error) {
				query.Before, query.Limit = flow.RunID(before), most
				return s.Runs.List(ctx, query)
			})
		},
	})
}
