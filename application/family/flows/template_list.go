package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
)

// TemplateListResult is the result of FLOW.TEMPLATE_LIST.
type TemplateListResult struct {
	Items []TemplateItem `json:"items" doc:"The templates."`
}

// TemplateItem is a template in results.
type TemplateItem struct {
	Template flow.Name    `json:"template" doc:"Name of the template, as FLOW.CREATE accepts it."`
	Summary  string       `json:"summary" doc:"Description of what the flow does."`
	Trigger  flow.Trigger `json:"trigger" doc:"Trigger that the flow decides about."`
	flow.Graph
}

func (s *Service) templateList() command.Definition {
	return command.Define(command.Spec[command.None, TemplateListResult]{
		Name:        "FLOW.TEMPLATE_LIST",
		Summary:     "List the flow templates.",
		Description: "A template is a ready-made graph to start from, such as a second factor for a role, or sign-in from office addresses only.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(context.Context, command.Call, command.None) (TemplateListResult, error) {
			var result TemplateListResult
			for _, t := range plan.Templates() {
				result.Items = append(result.Items, TemplateItem{Template: t.Name, Summary: t.Summary, Trigger: t.Trigger, Graph: t.Graph})
			}
			return result, nil
		},
	})
}
