package flows

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
)

// replay runs a plan over what runs saw.
func (s *Service) replay(ctx context.Context, made *plan.Plan, runs []flow.Run) (BacktestResult, error) {
	result := BacktestResult{Runs: len(runs), Changed: []Changed{}}
	for _, run := range runs {
		saw := map[string]any{}
		for name, text := range run.Content.Context {
			var value any
			if json.Unmarshal(text, &value) == nil {
				saw[name] = value
			}
		}
		// What an older version of the context had is left out by what it complains about.
		facts, _ := plan.Read(run.Trigger, saw, run.At)
		ended, err := made.Begin().Go(ctx, plan.Whole, facts, replayedEffects{permissiveEffects{s.Lists, run.OrgID}, run.Content.Trace}, s.Clock)
		if err != nil {
			return BacktestResult{}, err
		}
		would := ended.Outcome.Decision()
		result.Summary.count(run.Decision, would)
		if would != run.Decision {
			result.Changed = append(result.Changed, Changed{run.ID, run.Decision, would})
		}
	}
	return result, nil
}

func (b *BacktestSummary) count(was, would flow.Decision) {
	switch {
	case was == would:
		b.Unchanged++
	case would == flow.Deny:
		b.NewlyDenied++
	case would == flow.Allow:
		b.NewlyAllowed++
	default:
		b.NewlyChallenged++
	}
}

// replayedEffects are effects as they were in a run.
type replayedEffects struct {
	permissiveEffects

	trace []flow.Step
}

// Count answers what the node of the same name came to.
func (r replayedEffects) Count(_ context.Context, node, _ string, _ limit.Rule) (bool, error) {
	return r.came(node) == "true", nil
}

// Ask answers likewise.
func (r replayedEffects) Ask(_ context.Context, node string, _ plan.Hook, _ plan.Facts) (plan.Answer, error) {
	switch r.came(node) {
	case "deny":
		return plan.Answer{Decision: "deny"}, nil
	case "error":
		return plan.Answer{}, errUnmocked
	default:
		return plan.Answer{Decision: "allow"}, nil
	}
}

func (r replayedEffects) came(node string) string {
	for _, step := range r.trace {
		if step.Node == node {
			return step.Outcome
		}
	}
	return ""
}
