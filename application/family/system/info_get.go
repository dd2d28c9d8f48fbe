package system

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/maintenance"
)

// InfoGetResult is the result of SYSTEM.INFO_GET.
type InfoGetResult struct {
	Name         string           `json:"name" doc:"Name of the program."`
	Version      string           `json:"version" doc:"Release of the program."`
	APIVersion   string           `json:"api_version" doc:"Version in the path of the command endpoint."`
	CommandCount int              `json:"command_count" doc:"How many commands there are."`
	Issuer       string           `json:"issuer" doc:"Public address of the instance, as it stands in tokens."`
	Maintenance  maintenance.Mode `json:"maintenance" doc:"How much the instance answers. off: everything; read_only: what changes something is refused, but for signing in and out and for taking access away; closed: superadmins alone are answered." jsonschema:"enum=off,enum=read_only,enum=closed"`
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
				CommandCount: len(s.Registry().All()), Issuer: s.About.Issuer, Maintenance: s.Instance.State().Maintenance.InForce(s.Clock.Now()),
			}, nil
		},
	})
}
