package ratelimits

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/ports/outbound/ops"
)

// ListResult is the result of RATE_LIMIT.LIST.
type ListResult struct {
	Items []RateLimit `json:"items" doc:"Rate limits: first the limits for all commands, then by command."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[command.None, ListResult]{
		Name:    "RATE_LIMIT.LIST",
		Summary: "List all rate limits in force.",
		Description: "Returns each limit with its default. Commands that are not listed have no limit of their own.\n\nDuring a wave of failed " +
			"sign-ins, the limit per IP address of sign-in commands is half the listed value.",
		Access: access.Superadmin(),
		Effect: command.Reads,
		Handle: func(context.Context, command.Call, command.None) (ListResult, error) {
			result := ListResult{Items: []RateLimit{}}
			state := s.Instance.State()
			for _, t := range s.targets() {
				tuned := state.Tuned(t.name)
				for _, spec := range s.inForce(t) {
					isTuned := slices.ContainsFunc(tuned, func(one ops.TunedLimit) bool { return one.By == spec.By })
					result.Items = append(result.Items, t.show(spec, isTuned))
				}
			}
			return result, nil
		},
	})
}
