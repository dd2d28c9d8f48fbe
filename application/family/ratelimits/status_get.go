package ratelimits

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
)

// StatusGetParams are the parameters of RATE_LIMIT.STATUS_GET.
type StatusGetParams struct {
	Command string `json:"command" doc:"Name of the command, or * for the limits for all commands." jsonschema:"minLength=1,maxLength=100,example=AUTH.LOGIN"`
	Subject string `json:"subject" doc:"Subject of the counter: an IP address (IPv6 by its /64), session ID, email address, user ID, or the word all. Its form selects which of the command's limits is read." jsonschema:"minLength=1,maxLength=320,example=203.0.113.7"`
}

// StatusGetResult is the result of RATE_LIMIT.STATUS_GET.
type StatusGetResult struct {
	Used      int       `json:"used" doc:"Number of calls that count now."`
	Limit     int       `json:"limit" doc:"Maximum number of calls in the window, as it applies now."`
	Remaining int       `json:"remaining" doc:"Number of calls still allowed."`
	ResetsAt  time.Time `json:"resets_at" doc:"When no call counts anymore. The current time if none counts."`
}

func (s *Service) statusGet() command.Definition {
	return command.Define(command.Spec[StatusGetParams, StatusGetResult]{
		Name:        "RATE_LIMIT.STATUS_GET",
		Summary:     "Get how much of a rate limit a subject has used.",
		Description: "The subject is an IP address, session, email address or user, or the word all.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p StatusGetParams) (StatusGetResult, error) {
			t, err := s.target(p.Command)
			if err != nil {
				return StatusGetResult{}, err
			}
			rules := s.inForce(t)
			for _, spec := range rules {
				if of := counted(spec.By, p.Subject); of != "" {
					return s.status(ctx, t, spec, of)
				}
			}
			return StatusGetResult{}, errSubject(rules)
		},
	})
}

func (s *Service) status(ctx context.Context, t target, spec limit.Spec, subject string) (StatusGetResult, error) {
	state, err := s.Counters.State(ctx, throttle.Key(s.Blinder, t.name, spec.By, subject))
	if err != nil {
		return StatusGetResult{}, err
	}
	now := s.Clock.Now()
	if t.guarded && s.Instance.State().Spike.On(now) {
		spec = spec.Spiked()
	}
	rule := spec.Rule
	verdict := rule.Peek(state, now)
	return StatusGetResult{
		Used: verdict.Used, Limit: rule.Limit, Remaining: verdict.Remaining, ResetsAt: verdict.ResetsAt,
	}, nil
}
