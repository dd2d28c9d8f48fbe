package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound/machines"
)

// mostApps bounds how many apps are looked at for one API.
const mostApps = 500

// ResourceGetParams are the parameters of OAUTH.RESOURCE_GET.
type ResourceGetParams struct {
	ResourceID resource.ID `json:"resource_id" doc:"ID of the API."`
}

// ResourceGetResult is the result of OAUTH.RESOURCE_GET.
type ResourceGetResult struct {
	Resource Resource `json:"resource" doc:"The API."`
	Apps     []App    `json:"apps" doc:"Apps that can request tokens for the API, newest first. At most 500."`
}

// App is an app that may ask for tokens for an API.
type App struct {
	ID     app.ID   `json:"id" doc:"ID of the app."`
	Slug   string   `json:"slug" doc:"The client_id of the app."`
	Name   string   `json:"name" doc:"Display name of the app."`
	Scopes []string `json:"scopes" doc:"Scopes the app gets without requesting any."`
}

func (s *Service) resourceGet() command.Definition {
	return command.Define(command.Spec[ResourceGetParams, ResourceGetResult]{
		Name:    "OAUTH.RESOURCE_GET",
		Summary: "Retrieve an API with its scopes.",
		Description: "The result includes the apps that can request tokens for the API. The API must belong to the workspace. Superadmins can retrieve APIs of " +
			"all workspaces and of the instance.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ResourceGetParams) (ResourceGetResult, error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return ResourceGetResult{}, err
			}
			found, err := s.Directory.Find(ctx, org, p.ResourceID)
			if err != nil {
				return ResourceGetResult{}, err
			}
			apps, err := s.apps(ctx, found)
			return ResourceGetResult{Resource: show(found), Apps: apps}, err
		},
	})
}

// apps lists the apps that may have tokens for an API.
func (s *Service) apps(ctx context.Context, of resource.Snapshot) ([]App, error) {
	held, err := s.Directory.Audience(ctx, of.Identifier)
	if err != nil {
		return nil, err
	}
	found, err := s.Apps.List(ctx, machines.AppQuery{Org: of.OrgID, Vouched: of.OrgID == "", Limit: mostApps})
	if err != nil {
		return nil, err
	}
	registered, err := s.Audiences.RegisteredOnly(ctx, held)
	if err != nil {
		return nil, err
	}
	shown := []App{}
	for _, one := range found {
		if one.Enabled && s.Audiences.AdmitTo(held, registered, one) == nil {
			shown = append(shown, App{ID: one.ID, Slug: one.Slug, Name: one.Name, Scopes: held.Remaining(one, one.Scopes)})
		}
	}
	return shown, nil
}
