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
	Command string `json:"command" doc:"The command, or * for the limits over all." jsonschema:"minLength=1,maxLength=100,example=AUTH.LOGIN"`
	Subject string `json:"subject" doc:"Whose counter: an IP address (IPv6 by its /64), session id, email address, user id, or the word all; its form tells which of the command's limits is meant." jsonschema:"minLength=1,maxLength=320,example=203.0.113.7"`
}

// StatusGetResult is the result of RATE_LIMIT.STATUS_GET.
type StatusGetResult struct {
	Used      int       `json:"used" doc:"Calls that count at this moment."`
	Limit     int       `json:"limit" doc:"Calls admitted in the window, as it holds at this moment."`
	Remaining int       `json:"remaining" doc:"Calls that would still pass."`
	ResetsAt  time.Time `json:"resets_at" doc:"When no call counts any more; now, when none does."`
}

func (s *Service) statusGet() command.Definition {
	return command.Define(command.Spec[StatusGetParams, StatusGetResult]{
		Name:    "RATE_LIMIT.STATUS_GET",
		Summary: "How far one address, session, email address or user is in a limit.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
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
