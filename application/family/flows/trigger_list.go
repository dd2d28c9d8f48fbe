package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound/ops"
)

// TriggerListResult is the result of FLOW.TRIGGER_LIST.
type TriggerListResult struct {
	Items []TriggerItem `json:"items" doc:"The triggers."`
}

// TriggerItem is a trigger in results.
type TriggerItem struct {
	Trigger       flow.Trigger   `json:"trigger" doc:"Name of the trigger."`
	Summary       string         `json:"summary" doc:"When it comes."`
	ContextSchema map[string]any `json:"context_schema" doc:"JSON Schema of what expressions may read, with the defaults of FLOW.TEST."`
	FailsClosed   bool           `json:"fails_closed" doc:"Whether a flow that cannot run denies."`
	EnabledFlow   flow.Name      `json:"enabled_flow,omitzero" doc:"Flow of the workspace that decides there."`
}

func (s *Service) triggerList() command.Definition {
	return command.Define(command.Spec[command.None, TriggerListResult]{
		Name:    "FLOW.TRIGGER_LIST",
		Summary: "The triggers, what the context holds for each, and which flow of the workspace is enabled there.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (TriggerListResult, error) {
			on := true
			enabled, err := s.Directory.List(ctx, ops.FlowQuery{Org: call.Caller.Org, Enabled: &on})
			if err != nil {
				return TriggerListResult{}, err
			}
			var result TriggerListResult
			for _, t := range flow.Triggers() {
				item := TriggerItem{Trigger: t, Summary: summary(t), ContextSchema: plan.ContextSchema(t), FailsClosed: true}
				for _, f := range enabled {
					if f.Trigger == t && call.Caller.Org != "" {
						item.EnabledFlow = f.Name
					}
				}
				result.Items = append(result.Items, item)
			}
			return result, nil
		},
	})
}

func summary(t flow.Trigger) string {
	switch t {
	case flow.Login:
		return "Somebody signs in by password or a mailed code, or switches to the workspace."
	case flow.Signup:
		return "Somebody makes an account, before it exists. Without an invitation the flow of the instance alone decides."
	case flow.Refresh:
		return "A session gets new tokens, or an app renews or exchanges those of a person."
	case flow.PasswordReset:
		return "Somebody asks for a new password, or sets it by the mailed token. The flow of the instance alone decides."
	case flow.MFAVerify:
		return "A second factor was given, before the session begins."
	case flow.SocialLogin:
		return "Somebody comes from a provider."
	case flow.PasskeyLogin:
		return "Somebody signs in by a passkey."
	default:
		return "An app asks for a token."
	}
}
