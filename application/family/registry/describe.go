package registry

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// DescribeParams are the parameters of REGISTRY.DESCRIBE.
type DescribeParams struct {
	Command string `json:"command" doc:"Name of the command to describe. Goes inside params: the top-level command names the command you call." jsonschema:"maxLength=100,pattern=^[A-Z][A-Z0-9_]*\\.[A-Z][A-Z0-9_]*$,example=SESSION.REVOKE"`
}

// DescribeResult is the result of REGISTRY.DESCRIBE.
type DescribeResult struct {
	Command      string          `json:"command" doc:"Name of the command."`
	Name         string          `json:"name" doc:"Name of the command. Same as command."`
	Family       string          `json:"family" doc:"Family of the command: the part of its name before the dot."`
	Summary      string          `json:"summary" doc:"One sentence about what the command does."`
	Description  string          `json:"description,omitzero" doc:"Side effects, limits and related commands, in Markdown."`
	Access       string          `json:"access" doc:"Required access: public, user, permission:<name>, superadmin or client:<scope>."`
	Callers      []string        `json:"callers" doc:"Kinds of credentials the command accepts: session, api_key, app, delegated, impersonation."`
	Scope        string          `json:"scope,omitzero" doc:"Scope that API keys and M2M tokens need, unless they have *. Set for commands that require no permission from users."`
	Recent       bool            `json:"recent,omitzero" doc:"Whether a session needs a sign-in within the last 15 minutes, with a second factor or passkey if the account has one. AUTH.REAUTHENTICATE counts as a sign-in. API keys and M2M tokens are limited by their scopes instead. For public commands, the summary, description or parameters say which calls need it."`
	Effect       string          `json:"effect" doc:"Effect of the command: none (changes nothing), store (changes only stored data) or outside (also reaches systems beyond the store)."`
	ParamsSchema json.RawMessage `json:"params_schema" doc:"JSON Schema (2020-12) of the parameters."`
	ResultSchema json.RawMessage `json:"result_schema" doc:"JSON Schema (2020-12) of the result."`
	Events       []event.Kind    `json:"events" doc:"Event types the command can emit."`
	Errors       []fault.Code    `json:"errors" doc:"Error codes the command can return. REGISTRY.ERROR_LIST explains them."`
	RateLimit    []RateLimit     `json:"rate_limit" doc:"Rate limits in force. All of them apply."`
	Example      json.RawMessage `json:"example" doc:"Example request body."`
}

// RateLimit is a limit in results.
type RateLimit struct {
	By            string `json:"by" doc:"Subject the limit counts by." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
	Limit         int    `json:"limit" doc:"Maximum number of calls in the window."`
	WindowSeconds int    `json:"window_seconds" doc:"Length of the sliding window. Seconds."`
	Shared        bool   `json:"shared" doc:"Whether all commands share this limit."`
}

func (s *Service) describe() command.Definition {
	return command.Define(command.Spec[DescribeParams, DescribeResult]{
		Name:        "REGISTRY.DESCRIBE",
		Summary:     "Describe a command.",
		Description: "Returns the schemas, access, events, errors, rate limits in force and an example request of one command.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(_ context.Context, _ command.Call, p DescribeParams) (DescribeResult, error) {
			d, err := s.find(p.Command)
			if err != nil {
				return DescribeResult{}, err
			}
			published := d.DescribeBy(s.Instance.State().Limits)
			return DescribeResult{
				Command: published.Command, Name: published.Name, Family: published.Family, Summary: published.Summary, Description: published.Description,
				Access: published.Access, Callers: published.Callers, Scope: published.Scope, Recent: published.Recent, Effect: published.Effect,
				ParamsSchema: published.Params, ResultSchema: published.Result,
				Events: published.Events, Errors: published.Errors, RateLimit: limits(published), Example: published.Example,
			}, nil
		},
	})
}

func limits(of inbound.Descriptor) []RateLimit {
	var shown []RateLimit
	for _, one := range of.Limits {
		shown = append(shown, RateLimit(one))
	}
	return shown
}
