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
	Command string `json:"command" doc:"Name of the command to describe; inside params, since command beside it names the one called." jsonschema:"maxLength=100,pattern=^[A-Z][A-Z0-9_]*\\.[A-Z][A-Z0-9_]*$,example=SESSION.REVOKE"`
}

// DescribeResult is the result of REGISTRY.DESCRIBE.
type DescribeResult struct {
	Command      string          `json:"command" doc:"Its name."`
	Name         string          `json:"name" doc:"The name of the command, the same as command."`
	Family       string          `json:"family" doc:"The part of its name before the dot."`
	Summary      string          `json:"summary" doc:"What the command does, in one sentence."`
	Description  string          `json:"description,omitzero" doc:"Side effects, limits and related commands, in Markdown."`
	Access       string          `json:"access" doc:"Who may call it: public, user, permission:<name>, superadmin or client:<scope>."`
	Callers      []string        `json:"callers" doc:"Kinds of credentials that it takes: session, api_key, app, delegated, impersonation."`
	Scope        string          `json:"scope,omitzero" doc:"What API keys and M2M tokens need among their scopes, unless they have *, where the access asks people for no permission."`
	Recent       bool            `json:"recent,omitzero" doc:"Whether a session needs a login of the last 15 minutes, by a second factor or a passkey where the account has one; AUTH.REAUTHENTICATE is one. API keys and M2M tokens are bound by their scopes instead. Where the access is public, the summary or the parameters say which calls need it."`
	Effect       string          `json:"effect" doc:"What it changes: none, store, or outside also the world beyond."`
	ParamsSchema json.RawMessage `json:"params_schema" doc:"JSON Schema (2020-12) of the parameters."`
	ResultSchema json.RawMessage `json:"result_schema" doc:"JSON Schema (2020-12) of the result."`
	Events       []event.Kind    `json:"events" doc:"Kinds of events that it may emit."`
	Errors       []fault.Code    `json:"errors" doc:"Error codes that it may answer; REGISTRY.ERROR_LIST explains them."`
	RateLimit    []RateLimit     `json:"rate_limit" doc:"Limits in force; all of them must hold."`
	Example      json.RawMessage `json:"example" doc:"A request body."`
}

// RateLimit is a limit in results.
type RateLimit struct {
	By            string `json:"by" doc:"What it counts by." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
	Limit         int    `json:"limit" doc:"Most calls in the window."`
	WindowSeconds int    `json:"window_seconds" doc:"Length of the window, which may begin at any moment."`
	Shared        bool   `json:"shared" doc:"Whether all commands count against it together."`
}

func (s *Service) describe() command.Definition {
	return command.Define(command.Spec[DescribeParams, DescribeResult]{
		Name:    "REGISTRY.DESCRIBE",
		Summary: "Describe one command: schemas, access, events, errors, limits in force and an example.",
		Access:  access.Public(),
		Effect:  command.Reads,
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
