package system

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// ConfigCheckResult is the result of SYSTEM.CONFIG_CHECK.
type ConfigCheckResult struct {
	OK       bool      `json:"ok" doc:"Whether no finding is an error; there may be warnings."`
	Findings []Finding `json:"findings" doc:"What was found."`
}

func (s *Service) configCheck() command.Definition {
	return command.Define(command.Spec[command.None, ConfigCheckResult]{
		Name:    "SYSTEM.CONFIG_CHECK",
		Summary: "Look for weak or contradictory configuration, and tell the mend of each finding.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
		Handle: func(context.Context, command.Call, command.None) (ConfigCheckResult, error) {
			found := s.Findings()
			return ConfigCheckResult{OK: !slices.ContainsFunc(found, Finding.defeats), Findings: found}, nil
		},
	})
}
