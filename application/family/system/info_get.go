package system

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/maintenance"
)

// InfoGetResult is the result of SYSTEM.INFO_GET.
type InfoGetResult struct {
	Name         string           `json:"name" doc:"Name of the product."`
	Version      string           `json:"version" doc:"Version of the product."`
	APIVersion   string           `json:"api_version" doc:"API version, as used in the path of the command endpoint."`
	CommandCount int              `json:"command_count" doc:"Number of commands."`
	Issuer       string           `json:"issuer" doc:"Public URL of the instance, used as the issuer of tokens."`
	Maintenance  maintenance.Mode `json:"maintenance" doc:"Current maintenance mode. off: all commands work. read_only: commands that change something are rejected, except signing in and out and revoking access. closed: only superadmins are served." jsonschema:"enum=off,enum=read_only,enum=closed"`
}

func (s *Service) infoGet() command.Definition {
	return command.Define(command.Spec[command.None, InfoGetResult]{
		Name:    "SYSTEM.INFO_GET",
		Summary: "Get the version, issuer and maintenance mode of the instance.",
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
