package plan

import (
	"context"

	"gatehouse.internal/domain/flow"
)

type logConfig struct {
	Message string `json:"message" doc:"Message to record." jsonschema:"minLength=1,maxLength=200,example=A partner signs in."`
}

func logging() Kind {
	return define(Kind{
		Type: "log", Summary: "Records a message in the run.", Outputs: []string{flow.Default}, Example: flow.Config{"message": "A partner signs in."},
	}, func(_ *builder, c logConfig) act {
		return func(_ context.Context, r *run) (string, error) {
			r.detail = c.Message
			return flow.Default, nil
		}
	})
}

func allowing() Kind {
	return define(Kind{Type: "allow", Summary: "Ends the flow and raises no objection.", Example: flow.Config{}}, func(*builder, noConfig) act {
		return func(context.Context, *run) (string, error) { return allowed, nil }
	})
}

type denyConfig struct {
	Reason string `json:"reason" doc:"Reason for the denial. It is shown to the person." jsonschema:"minLength=1,maxLength=200,example=Sign in from the office."`
}

func denying() Kind {
	return define(Kind{
		Type: "deny", Summary: "Ends the flow and denies the request with FLOW_BLOCKED and the reason.", Example: flow.Config{"reason": "Sign in from the office."},
	}, func(_ *builder, c denyConfig) act {
		return func(_ context.Context, r *run) (string, error) {
			r.outcome.Denied, r.outcome.Reason = true, c.Reason
			return denied, nil
		}
	})
}
