package risk

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/login"
)

// Measures of the guard.
const (
	askFactor  = "second_factor"
	halveLimit = "half_limit"
)

// StatusGetResult is the result of RISK.STATUS_GET.
type StatusGetResult struct {
	FailuresPerMinute int        `json:"failures_per_minute" doc:"Failed logins of this minute or the one before, whichever had more."`
	Usual             int        `json:"usual" doc:"Failed logins of a usual minute, 5 at least: the guard goes on at more than 20 times as many."`
	Spike             bool       `json:"spike" doc:"Whether the guard is on."`
	Measures          []string   `json:"measures" doc:"What it has switched on: a second factor where one exists, and half the limits of logins by address." jsonschema:"enum=second_factor,enum=half_limit"`
	Since             *time.Time `json:"since" doc:"Since when it is on; null: it is off."`
}

func (s *Service) statusGet() command.Definition {
	return command.Define(command.Spec[command.None, StatusGetResult]{
		Name:    "RISK.STATUS_GET",
		Summary: "State of the guard against waves of failing logins, and what it has switched on.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
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
				status.FailuresPerMinute, status.Usual = max(current, last), login.Usual(before)
				return err
			})
			if err == nil && spike.On(now) {
				status.Spike, status.Measures, status.Since = true, []string{askFactor, halveLimit}, view.Time(spike.StartedAt)
			}
			return status, err
		},
	})
}
