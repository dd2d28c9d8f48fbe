package plan

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/flow"
)

// Bounds of the claims of a token that flows set.
const (
	maxClaims      = 20
	maxClaimsBytes = 4 << 10
)

var (
	claimName     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	errManyClaims = errors.New("the flows set more than 20 claims or 4 KiB of claims")
)

type claimConfig struct {
	Name       string `json:"name" doc:"Name of the claim. It must not be a claim that already has a meaning in tokens." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z][a-z0-9_]*$,example=plan"`
	Expression string `json:"expression" doc:"CEL expression over the context. Its value becomes the value of the claim." jsonschema:"minLength=1,maxLength=1024,example='pro'"`
}

func setClaim() Kind {
	return define(Kind{
		Type: "set_claim", Summary: "Adds a claim to the access token.", Outputs: []string{flow.Default},
		Example: flow.Config{"name": "plan", "expression": "user.metadata.plan"},
	}, func(b *builder, c claimConfig) act {
		if b.trigger == flow.PasswordReset {
			b.complain("cannot be used with the trigger password_reset, which issues no token", "type")
		}
		if app.ReservedClaim(c.Name) {
			b.complain("is reserved: choose another claim name", "config", "name")
		}
		made := b.expression(c.Expression, nil, "")
		return func(ctx context.Context, r *run) (string, error) {
			value, err := r.evaluate(ctx, made)
			if err != nil {
				return "", err
			}
			return flow.Default, r.claim(c.Name, value)
		}
	})
}

// claim sets a claim, within the bounds of all of them.
func (r *run) claim(name string, value json.RawMessage) error {
	claims := r.outcome.Demand.Claims
	claims[name] = value
	size := 0
	for name, value := range claims {
		size += len(name) + len(value)
	}
	if len(claims) > maxClaims || size > maxClaimsBytes {
		return errManyClaims
	}
	r.detail = name
	return nil
}
