package flows

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound/ops"
)

// ListParams are the parameters of FLOW.LIST.
type ListParams struct {
	Trigger flow.Trigger `json:"trigger,omitzero" doc:"Only flows of this trigger."`
	ScopeParams
	Enabled *bool `json:"enabled,omitzero" doc:"Only enabled flows, or only disabled ones."`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Flow]]{
		Name:        "FLOW.LIST",
		Summary:     "List flows, newest first.",
		Description: "Lists the flows of the workspace. Superadmins can list the flows of the instance with `scope`.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Flow], error) {
			org, err := p.at(call.Caller)
			if err != nil {
				return page.Of[Flow]{}, err
			}
			which := ""
			if p.Enabled != nil {
				which = fmt.Sprint(*p.Enabled)
			}
			list := s.Cursors.List("FLOW.LIST|"+org.String()+"|"+string(p.Trigger)+"|"+which, p.Params)
			return page.Read(list, func(f flow.Snapshot) string { return f.ID.String() }, show, func(before string, most int) ([]flow.Snapshot, error) {
				return s.Directory.List(ctx, ops.FlowQuery{Org: org, Trigger: p.Trigger, Enabled: p.Enabled, Before: flow.ID(before), Limit: most})
			})
		},
	})
}
