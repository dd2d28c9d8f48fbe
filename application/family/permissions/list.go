package permissions

import (
	"context"
	"strings"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
)

// ListParams are the parameters of PERMISSION.LIST.
type ListParams struct {
	Resource string `json:"resource,omitzero" doc:"Only permissions on this resource, such as users." jsonschema:"minLength=1,maxLength=64,example=users"`
}

// ListResult is the result of PERMISSION.LIST.
type ListResult struct {
	Items []Permission `json:"items" doc:"The permissions, in the order of their names."`
}

// Permission is a permission in results.
type Permission struct {
	Permission  string   `json:"permission" doc:"Its name, resource:action."`
	Description string   `json:"description" doc:"What it permits."`
	Builtin     bool     `json:"builtin" doc:"Whether it is one of the service's own."`
	Commands    []string `json:"commands" doc:"Commands that ask for it, in the order of their names."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "PERMISSION.LIST",
		Summary: "List the permissions that there are and the commands that each opens: the permission matrix.",
		Access:  access.Anybody(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, _ command.Call, p ListParams) (ListResult, error) {
			opened := map[string][]string{}
			for _, d := range s.Registry().All() {
				asked := d.Access.Permission()
				opened[asked] = append(opened[asked], d.Name)
			}
			matrix := ListResult{}
			for _, known := range access.Catalogue() {
				resource, _, _ := strings.Cut(known.Name, ":")
				if p.Resource != "" && p.Resource != resource {
					continue
				}
				matrix.Items = append(matrix.Items, Permission{
					Permission: known.Name, Description: known.Description, Builtin: true, Commands: opened[known.Name],
				})
			}
			return matrix, nil
		},
	})
}
