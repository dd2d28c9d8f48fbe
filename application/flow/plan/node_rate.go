package plan

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

type rateConfig struct {
	Key           string `json:"key" doc:"Subject to count by: ip, user, email, asn, or the value of the expression." jsonschema:"enum=ip,enum=user,enum=email,enum=asn,enum=expression,example=ip"`
	Expression    string `json:"expression,omitzero" doc:"CEL expression that is a string. Required if key is expression, and allowed only then." jsonschema:"minLength=1,maxLength=1024" example:"-"`
	Limit         int    `json:"limit" doc:"Number of runs allowed per window." jsonschema:"minimum=1,maximum=100000,example=20"`
	WindowSeconds int    `json:"window_seconds" doc:"Length of the window. Seconds." jsonschema:"minimum=1,maximum=86400,example=60"`
}

func rateLimit() Kind {
	return define(Kind{
		Type: "rate_limit", Summary: "Counts runs by a key across all replicas, and branches on whether the limit is exceeded.",
		Outputs: []string{yes, no}, Example: flow.Config{"key": "ip", "limit": 20, "window_seconds": 60},
	}, func(b *builder, c rateConfig) act {
		key := b.counted(c)
		rule := limit.Rule{Limit: c.Limit, Window: time.Duration(c.WindowSeconds) * time.Second}
		return func(ctx context.Context, r *run) (string, error) {
			of, err := key(ctx, r)
			if err != nil {
				return "", err
			}
			over, err := r.effects.Count(ctx, r.node, of, rule)
			return decided(over), err
		}
	})
}

// counted compiles the subject that a node counts by.
func (b *builder) counted(c rateConfig) func(context.Context, *run) (string, error) {
	if c.Expression != "" != (c.Key == "expression") {
		b.complain("is required if key is expression, and not allowed otherwise", "config", "expression")
		return nil
	}
	switch c.Key {
	case "ip":
		b.reads("ip.address")
		return func(_ context.Context, r *run) (string, error) {
			from, err := r.address()
			return "ip:" + limit.Subject(from), err
		}
	case "asn":
		b.reads("ip.asn")
		return func(_ context.Context, r *run) (string, error) {
			number := r.facts.Number("ip", "asn")
			if number == 0 {
				return "", errors.New("the network of the request is unknown")
			}
			return "asn:" + strconv.FormatInt(number, 10), nil
		}
	case "user", "email":
		b.reads("user.id")
		return func(_ context.Context, r *run) (string, error) {
			of := r.facts.Text("user", "id")
			if c.Key == "email" {
				of = r.facts.Email
			}
			if of == "" {
				return "", errors.New("the account of the request is unknown")
			}
			return c.Key + ":" + of, nil
		}
	}
	made := b.expression(c.Expression, outbound.Expression.Text, "must return a string")
	return func(ctx context.Context, r *run) (string, error) {
		value, err := r.evaluate(ctx, made)
		return "expression:" + string(value), err
	}
}
