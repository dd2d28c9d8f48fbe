package plan

import (
	"context"
	"strconv"

	"gatehouse.internal/domain/flow"
)

type riskConfig struct {
	AtLeast int `json:"at_least" doc:"Minimum risk score for the output true." jsonschema:"minimum=0,maximum=100,example=70"`
}

func riskScore() Kind {
	return define(Kind{
		Type: "risk_score", Summary: "Branches on whether the risk score of the attempt reaches a threshold.", Outputs: []string{yes, no},
		Example: flow.Config{"at_least": 70},
	}, func(b *builder, c riskConfig) act {
		b.reads("risk.score")
		return func(_ context.Context, r *run) (string, error) {
			score := r.facts.Number("risk", "score")
			r.detail = "score " + strconv.FormatInt(score, 10)
			return decided(score >= int64(c.AtLeast)), nil
		}
	})
}
