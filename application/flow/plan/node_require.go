package plan

import (
	"context"
	"slices"

	"gatehouse.internal/domain/flow"
)

type mfaConfig struct {
	Methods            []string `json:"methods,omitzero" doc:"Accepted methods. Omit to accept any method." jsonschema:"minItems=1,maxItems=4,uniqueItems=true,enum=totp,enum=email,enum=recovery_code,enum=passkey,example=totp"`
	FreshWithinSeconds int      `json:"fresh_within_seconds,omitzero" doc:"Maximum age of an earlier second factor. Seconds. Omit to accept any second factor given in the session." jsonschema:"minimum=1,maximum=31536000"`
}

func requireMFA() Kind {
	return define(Kind{
		Type: "require_mfa", Summary: "Requires a second factor. A person without one must enroll one first.", Outputs: []string{flow.Default},
		Example: flow.Config{"methods": []any{"totp", "passkey"}},
	}, func(b *builder, c mfaConfig) act {
		b.sessions()
		return func(_ context.Context, r *run) (string, error) {
			d := &r.outcome.Demand
			*d = d.And(flow.Demand{MFA: true, Methods: c.Methods, FreshSeconds: c.FreshWithinSeconds})
			return flow.Default, nil
		}
	})
}

type actionConfig struct {
	Action string `json:"action" doc:"Action that is required." jsonschema:"enum=verify_email,enum=change_password,enum=enroll_mfa,example=verify_email"`
}

func requireAction() Kind {
	return define(Kind{
		Type: "require_action", Summary: "Requires an action before the session can do anything else.", Outputs: []string{flow.Default},
		Example: flow.Config{"action": "verify_email"},
	}, func(b *builder, c actionConfig) act {
		b.sessions()
		return func(_ context.Context, r *run) (string, error) {
			if d := &r.outcome.Demand; !slices.Contains(d.Actions, c.Action) {
				d.Actions = append(d.Actions, c.Action)
			}
			return flow.Default, nil
		}
	})
}

type sessionConfig struct {
	IdleMinutes     int `json:"idle_minutes,omitzero" doc:"Maximum time the session lives without use. Minutes." jsonschema:"minimum=1,maximum=129600,example=30"`
	AbsoluteMinutes int `json:"absolute_minutes,omitzero" doc:"Maximum lifetime of the session. Minutes." jsonschema:"minimum=1,maximum=525600,example=480"`
}

func setSession() Kind {
	return define(Kind{
		Type: "set_session", Summary: "Shortens the session. It never makes a session longer.", Outputs: []string{flow.Default},
		Example: flow.Config{"absolute_minutes": 480},
	}, func(b *builder, c sessionConfig) act {
		b.sessions()
		return func(_ context.Context, r *run) (string, error) {
			d := &r.outcome.Demand
			d.IdleMinutes, d.AbsoluteMinutes = flow.Shorter(d.IdleMinutes, c.IdleMinutes), flow.Shorter(d.AbsoluteMinutes, c.AbsoluteMinutes)
			return flow.Default, nil
		}
	})
}

// sessions returns errors of nodes that need a session, in triggers without one.
func (b *builder) sessions() {
	if b.trigger == flow.M2MToken || b.trigger == flow.PasswordReset {
		b.complain("cannot be used with the trigger "+string(b.trigger)+", which starts no session", "type")
	}
}
