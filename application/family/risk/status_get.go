package risk

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/loginevent"
)

// Measures of the guard.
const (
	askFactor  = "second_factor"
	halveLimit = "half_limit"
)

// StatusGetResult is the result of RISK.STATUS_GET.
type StatusGetResult struct {
	FailuresPerMinute int        `json:"failures_per_minute" doc:"Failed sign-ins of the current or the previous minute, whichever had more."`
	Usual             int        `json:"usual" doc:"Failed sign-ins of a usual minute, at least 5. More than 20 times as many activate the guard."`
	Spike             bool       `json:"spike" doc:"Whether the guard is active."`
	Measures          []string   `json:"measures" doc:"Measures that the guard has enabled: a second factor from accounts that have one, and half the limits on sign-ins by address." jsonschema:"enum=second_factor,enum=half_limit"`
	Since             *time.Time `json:"since" doc:"When the guard became active. Null if it is not active."`
}

func (s *Service) statusGet() command.Definition {
	return command.Define(command.Spec[command.None, StatusGetResult]{
		Name:        "RISK.STATUS_GET",
		Summary:     "Get the state of the guard against waves of failed sign-ins.",
		Description: "Also returns the measures that the guard has enabled.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (StatusGetResult, error) {
			now, spike := s.Clock.Now(), s.Instance.State().Spike
			status := StatusGetResult{Measures: []string{}}
			from, to := spike.Baseline(now)
			err := s.Unit.Do(ctx, func(tx Repos) error {
				current, err := tx.Failures.Total(ctx, now, now.Add(time.Minute))
				if err != nil {
					return err
				}
				last, err := tx.Failures.Total(ctx, now.Add(-time.Minute), now)
				if err != nil {
					return err
				}
				before, err := tx.Failures.Total(ctx, from, to)
				status.FailuresPerMinute, status.Usual = max(current, last), loginevent.Usual(before)
				return err
			})
			if err == nil && spike.On(now) {
				status.Spike, status.Measures, status.Since = true, []string{askFactor, halveLimit}, view.Time(spike.StartedAt)
			}
			return status, err
		},
	})
}
