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
	Summary       string         `json:"summary" doc:"When the trigger fires."`
	ContextSchema map[string]any `json:"context_schema" doc:"JSON Schema of the context that expressions can read, with the defaults that FLOW.TEST uses."`
	FailsClosed   bool           `json:"fails_closed" doc:"Whether a flow that cannot run denies the request."`
	EnabledFlow   flow.Name      `json:"enabled_flow,omitzero" doc:"Name of the workspace's flow that is enabled for the trigger. Omitted if there is none."`
}

func (s *Service) triggerList() command.Definition {
	return command.Define(command.Spec[command.None, TriggerListResult]{
		Name:        "FLOW.TRIGGER_LIST",
		Summary:     "List the flow triggers, their context and the enabled flows.",
		Description: "The enabled flows shown belong to the workspace.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
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
		return "Somebody signs in with a password or an emailed code, or switches to the workspace."
	case flow.Signup:
		return "Somebody signs up, before the account exists. Without an invitation, only the flow of the instance decides."
	case flow.Refresh:
		return "A session gets new tokens, or an app refreshes or exchanges the tokens of a person."
	case flow.PasswordReset:
		return "Somebody requests a password reset, or sets a new password with the emailed token. Only the flow of the instance decides."
	case flow.MFAVerify:
		return "A second factor was verified, before the session begins."
	case flow.SocialLogin:
		return "Somebody signs in with a provider."
	case flow.PasskeyLogin:
		return "Somebody signs in with a passkey."
	default:
		return "An app requests a token."
	}
}
