package system

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// InfoGetResult is the result of SYSTEM.INFO_GET.
type InfoGetResult struct {
	Name         string `json:"name" doc:"Name of the program."`
	Version      string `json:"version" doc:"Release of the program."`
	APIVersion   string `json:"api_version" doc:"Version in the path of the command endpoint."`
	CommandCount int    `json:"command_count" doc:"How many commands there are."`
	Issuer       string `json:"issuer" doc:"Public address of the instance, as it stands in tokens."`
	Maintenance  string `json:"maintenance" doc:"Whether the instance is held back; off: it answers everything." jsonschema:"enum=off"`
}

func (s *Service) infoGet() command.Definition {
	return command.Define(command.Spec[command.None, InfoGetResult]{
		Name:    "SYSTEM.INFO_GET",
		Summary: "Tell the version and address of the instance.",
		Access:  access.Public(),
		Effect:  command.Reads,
		Handle: func(context.Context, command.Call, command.None) (InfoGetResult, error) {
			return InfoGetResult{
				Name: "Gatehouse", Version: s.About.Version, APIVersion: "v1",
				CommandCount: len(s.Registry().All()), Issuer: s.About.Issuer, Maintenance: "off",
			}, nil
		},
	})
}
