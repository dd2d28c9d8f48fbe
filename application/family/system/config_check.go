package system

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// ConfigCheckResult is the result of SYSTEM.CONFIG_CHECK.
type ConfigCheckResult struct {
	OK       bool      `json:"ok" doc:"Whether there are no errors. Warnings may exist."`
	Findings []Finding `json:"findings" doc:"Problems found in the configuration."`
}

func (s *Service) configCheck() command.Definition {
	return command.Define(command.Spec[command.None, ConfigCheckResult]{
		Name:        "SYSTEM.CONFIG_CHECK",
		Summary:     "Check the configuration for weaknesses and contradictions.",
		Description: "Each finding includes how to fix it.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(context.Context, command.Call, command.None) (ConfigCheckResult, error) {
			found := s.Findings()
			return ConfigCheckResult{OK: !slices.ContainsFunc(found, Finding.defeats), Findings: found}, nil
		},
	})
}
