package plan

import (
	"context"
	"encoding/json"
	"errors"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound"
)

// noConfig is the configuration of a node that takes none.
type noConfig struct{}

func start() Kind {
	return define(Kind{
		Type: flow.Start, Summary: "Starts the flow.", Outputs: []string{flow.Default}, Example: flow.Config{},
	}, func(*builder, noConfig) act {
		return func(context.Context, *run) (string, error) { return flow.Default, nil }
	})
}

type conditionConfig struct {
	Expression string `json:"expression" doc:"CEL expression over the context. It must be true or false." jsonschema:"minLength=1,maxLength=1024,example=user.mfa_enrolled"`
}

func condition() Kind {
	return define(Kind{
		Type: "condition", Summary: "Branches on whether an expression is true.", Outputs: []string{yes, no},
		Example: flow.Config{"expression": "'admin' in user.roles"},
	}, func(b *builder, c conditionConfig) act {
		made := b.expression(c.Expression, outbound.Expression.Boolean, "must return true or false")
		return func(ctx context.Context, r *run) (string, error) {
			value, err := r.evaluate(ctx, made)
			switch {
			case err != nil:
				return "", err
			case string(value) != yes && string(value) != no:
				return "", errors.New("the expression did not return true or false")
			}
			return string(value), nil
		}
	})
}

type switchConfig struct {
	Expression string `json:"expression" doc:"CEL expression over the context. It must be a string. Edges name its values." jsonschema:"minLength=1,maxLength=1024,example=user.email_domain"`
}

func switching() Kind {
	return define(Kind{
		Type: "switch", Summary: "Branches on the value of an expression. The default edge takes all other values.",
		Outputs: []string{flow.Default}, Values: true, Example: flow.Config{"expression": "user.email_domain"},
	}, func(b *builder, c switchConfig) act {
		made := b.expression(c.Expression, outbound.Expression.Text, "must return a string")
		return func(ctx context.Context, r *run) (string, error) {
			value, err := r.evaluate(ctx, made)
			if err != nil {
				return "", err
			}
			var text string
			if json.Unmarshal(value, &text) != nil {
				return "", errors.New("the expression did not return a string")
			}
			if !r.edges(text) {
				return flow.Default, nil
			}
			return text, nil
		}
	})
}
