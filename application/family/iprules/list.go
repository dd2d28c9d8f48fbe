package iprules

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// ListParams are the parameters of IP_RULE.LIST.
type ListParams struct {
	Scope  iprule.Scope  `json:"scope,omitzero" doc:"Scope of the rules: the instance, which requires a superadmin, or the workspace. Defaults as in IP_RULE.CREATE." example:"-"`
	List   iprule.List   `json:"list,omitzero" doc:"Only rules on this list." example:"-"`
	Action iprule.Action `json:"action,omitzero" doc:"Only rules with this action." example:"-"`
	OrgID  workspace.ID  `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace, or to the instance for a superadmin." example:"-"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Rule]]{
		Name:        "IP_RULE.LIST",
		Summary:     "List the address rules of the workspace or the instance.",
		Description: "Rules are listed newest first.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Rule], error) {
			org, err := scope(call.Caller, p.Scope, p.OrgID)
			if err != nil {
				return page.Of[Rule]{}, err
			}
			list := s.Cursors.List("IP_RULE.LIST|"+org.String()+"|"+string(p.List)+"|"+string(p.Action), p.Params)
			return page.Read(list, func(one iprule.Snapshot) string { return one.ID.String() }, show,
				func(before string, most int) ([]iprule.Snapshot, error) {
					return s.Directory.List(ctx, ops.IPRuleQuery{
						Org: org, List: p.List, Action: p.Action, Before: iprule.ID(before), Limit: most,
					})
				})
		},
	})
}
