package registry

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
)

// DescribeParams are the parameters of REGISTRY.DESCRIBE.
type DescribeParams struct {
	Command string `json:"command" doc:"Name of the command to describe; inside params, since command beside it names the one called." jsonschema:"maxLength=100,pattern=^[A-Z][A-Z0-9_]*\\.[A-Z][A-Z0-9_]*$,example=SESSION.REVOKE"`
}

// DescribeResult is the result of REGISTRY.DESCRIBE.
type DescribeResult struct {
	Command      string          `json:"command" doc:"Its name."`
	Summary      string          `json:"summary" doc:"What it does."`
	Access       string          `json:"access" doc:"Who may call it: public, user, permission:<name>, superadmin or client:<scope>."`
	Recent       bool            `json:"recent,omitzero" doc:"Whether the person of the session must have proved presence within the last 15 minutes; AUTH.REAUTHENTICATE does that."`
	ParamsSchema json.RawMessage `json:"params_schema" doc:"JSON Schema (2020-12) of the parameters."`
	ResultSchema json.RawMessage `json:"result_schema" doc:"JSON Schema (2020-12) of the result."`
	Events       []event.Kind    `json:"events" doc:"Kinds of events that it may emit."`
	Errors       []fault.Code    `json:"errors" doc:"Error codes that it may answer; REGISTRY.ERROR_LIST explains them."`
	RateLimit    []RateLimit     `json:"rate_limit" doc:"Limits in force; all of them must hold."`
	Example      json.RawMessage `json:"example" doc:"A request body."`
}

// RateLimit is a limit in results.
type RateLimit struct {
	By            string `json:"by" doc:"What it counts by." jsonschema:"enum=ip,enum=token,enum=email,enum=user"`
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
			published := d.Describe()
			return DescribeResult{
				Command: d.Name, Summary: d.Summary, Access: published.Access, Recent: published.Recent,
				ParamsSchema: published.Params, ResultSchema: published.Result,
				Events: published.Events, Errors: errorsOf(d), RateLimit: s.limits(d), Example: published.Example,
			}, nil
		},
	})
}

// limits are the rules in force for a command, tuned ones among them.
func (s *Service) limits(d *command.Definition) []RateLimit {
	state := s.Instance.State()
	var shown []RateLimit
	for _, spec := range state.Limits(d.Name, d.DefaultLimits()) {
		shown = append(shown, rateLimit(spec, false))
	}
	if d.Access.Honours() {
		for _, spec := range state.Limits(command.Overall, []limit.Spec{command.OverallLimit()})[:1] {
			shown = append(shown, rateLimit(spec, true))
		}
	}
	return shown
}

func rateLimit(spec limit.Spec, shared bool) RateLimit {
	return RateLimit{
		By: string(spec.By), Limit: spec.Rule.Limit,
		WindowSeconds: int(spec.Rule.Window / time.Second), Shared: shared,
	}
}
