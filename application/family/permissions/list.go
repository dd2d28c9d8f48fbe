package permissions

import (
	"context"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// ListParams are the parameters of PERMISSION.LIST.
type ListParams struct {
	Resource string `json:"resource,omitzero" doc:"Only permissions on this resource, such as users." jsonschema:"minLength=1,maxLength=64,example=users"`
}

// ListResult is the result of PERMISSION.LIST.
type ListResult struct {
	Items []Permission `json:"items" doc:"Built-in permissions sorted by name, then the workspace's custom permissions."`
}

// Permission is a permission in results.
type Permission struct {
	Permission  string   `json:"permission" doc:"Name of the permission, as resource:action."`
	Description string   `json:"description" doc:"Description of the permission."`
	Builtin     bool     `json:"builtin" doc:"Whether the permission is built into Gatehouse. If false, the workspace defined it."`
	Commands    []string `json:"commands" doc:"Names of the commands that require the permission, sorted by name."`
	// Callers are why a key needs no scope that only apps can use.
	Callers []access.Kind `json:"callers" doc:"Kinds of credentials accepted by at least one of the commands: session, api_key, app, delegated, impersonation. Empty if no command requires the permission."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:        "PERMISSION.LIST",
		Summary:     "List all permissions and the commands that require them.",
		Description: "Built-in permissions come first, then the custom permissions of the active workspace.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			opened, takers := map[string][]string{}, map[string][]access.Kind{}
			for _, d := range s.Registry().All() {
				asked := d.Access.Permission()
				opened[asked] = append(opened[asked], d.Name)
				takers[asked] = append(takers[asked], d.Access.Kinds()...)
			}
			matrix := ListResult{}
			for _, known := range access.Catalog() {
				if p.on(known) {
					matrix.Items = append(matrix.Items, Permission{
						Permission: known.Name, Description: known.Description, Builtin: true, Commands: opened[known.Name],
						Callers: once(takers[known.Name]),
					})
				}
			}
			own, err := s.own(ctx, call.Caller.Org)
			for _, known := range own {
				if p.on(known) {
					matrix.Items = append(matrix.Items, showOwn(known))
				}
			}
			return matrix, err
		},
	})
}

// on reports whether a permission is about the resource that was asked for.
func (p ListParams) on(known access.Permission) bool {
	resource, _, _ := strings.Cut(known.Name, ":")
	return p.Resource == "" || p.Resource == resource
}

// showOwn returns a permission that a workspace defined: no command asks for it.
func showOwn(known access.Permission) Permission {
	return Permission{Permission: known.Name, Description: known.Description, Callers: once(nil)}
}

// once lists kinds of callers in their order, each once.
func once(kinds []access.Kind) []access.Kind {
	listed := []access.Kind{}
	for _, kind := range []access.Kind{access.Person, access.Key, access.App, access.Delegated, access.Impersonated} {
		if slices.Contains(kinds, kind) {
			listed = append(listed, kind)
		}
	}
	return listed
}
