package plan

import (
	"context"
	"slices"

	"gatehouse.internal/domain/flow"
)

type mfaConfig struct {
	Methods            []string `json:"methods,omitzero" doc:"Methods that answer; absent: any." jsonschema:"minItems=1,maxItems=4,uniqueItems=true,enum=totp,enum=email,enum=recovery_code,enum=passkey,example=totp"`
	FreshWithinSeconds int      `json:"fresh_within_seconds,omitzero" doc:"How old a second factor may be that was given before; absent: as old as the session." jsonschema:"minimum=1,maximum=31536000"`
}

func requireMFA() Kind {
	return define(Kind{
		Type: "require_mfa", Summary: "Asks for a second factor; who has none must enrol one first.", Outputs: []string{flow.Default},
		Example: flow.Config{"methods": []any{"totp", "passkey"}},
	}, func(_ *builder, c mfaConfig) act {
		return func(_ context.Context, r *run) (string, error) {
			d := &r.outcome.Demand
			switch {
			case !d.MFA || d.Methods == nil:
				d.Methods = c.Methods
			case c.Methods != nil:
				d.Methods = slices.DeleteFunc(slices.Clone(d.Methods), func(m string) bool { return !slices.Contains(c.Methods, m) })
			}
			d.MFA, d.FreshSeconds = true, shorter(d.FreshSeconds, c.FreshWithinSeconds)
			return flow.Default, nil
		}
	})
}

type actionConfig struct {
	Action string `json:"action" doc:"What must be done first." jsonschema:"enum=verify_email,enum=change_password,enum=enroll_mfa,example=verify_email"`
}

func requireAction() Kind {
	return define(Kind{
		Type: "require_action", Summary: "Asks for something to be done before the session may do anything else.", Outputs: []string{flow.Default},
		Example: flow.Config{"action": "verify_email"},
	}, func(_ *builder, c actionConfig) act {
		return func(_ context.Context, r *run) (string, error) {
			if d := &r.outcome.Demand; !slices.Contains(d.Actions, c.Action) {
				d.Actions = append(d.Actions, c.Action)
			}
			return flow.Default, nil
		}
	})
}

type sessionConfig struct {
	IdleMinutes     int `json:"idle_minutes,omitzero" doc:"How long the session lives without use, at most." jsonschema:"minimum=1,maximum=129600,example=30"`
	AbsoluteMinutes int `json:"absolute_minutes,omitzero" doc:"How long it lives, at most." jsonschema:"minimum=1,maximum=525600,example=480"`
}

func setSession() Kind {
	return define(Kind{
		Type: "set_session", Summary: "Makes the session shorter; it never makes one longer.", Outputs: []string{flow.Default},
		Example: flow.Config{"absolute_minutes": 480},
	}, func(_ *builder, c sessionConfig) act {
		return func(_ context.Context, r *run) (string, error) {
			d := &r.outcome.Demand
			d.IdleMinutes, d.AbsoluteMinutes = shorter(d.IdleMinutes, c.IdleMinutes), shorter(d.AbsoluteMinutes, c.AbsoluteMinutes)
			return flow.Default, nil
		}
	})
}

// shorter is the smaller of two bounds, of which 0 is none.
func shorter(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
