package apps

import (
	"context"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// readUsers is the permission to see other people of the workspace.
const readUsers = "users:read"

var errOthers = fault.New(fault.Denied, "a preview for another person needs the permission "+readUsers)

// PreviewTokenParams are the parameters of APP.PREVIEW_TOKEN.
type PreviewTokenParams struct {
	AppID    app.ID      `json:"app_id" doc:"The app."`
	UserID   user.ID     `json:"user_id,omitzero" doc:"A member of the workspace whom the token is for; others than yourself need users:read. Absent: an M2M token of the app itself."`
	Scopes   []app.Scope `json:"scopes,omitzero" doc:"Scopes to ask for; absent: all that are granted, empty: none." jsonschema:"maxItems=200,uniqueItems=true"`
	Audience string      `json:"audience,omitzero" doc:"Audience to ask for; absent: this service." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$,example=https://api.example.com"`
}

// PreviewTokenResult is the result of APP.PREVIEW_TOKEN.
type PreviewTokenResult struct {
	Claims        map[string]any `json:"claims" doc:"The claims of the token, with a placeholder for jti; what a login or a bound key adds (sid, auth_time, amr, cnf) is left out."`
	DroppedScopes []string       `json:"dropped_scopes" doc:"Scopes asked for that it would not get: not granted to the app, or not held by the person."`
	DroppedClaims []string       `json:"dropped_claims" doc:"Custom claims of the app that no token carries, though they were once set: reserved names, and those beyond the first 20 in their order."`
}

func (s *Service) previewToken() command.Definition {
	return command.Define(command.Spec[PreviewTokenParams, PreviewTokenResult]{
		Name:    "APP.PREVIEW_TOKEN",
		Summary: "The claims that a token of an app would carry, for a person or for the app itself; nothing is issued.",
		Access:  access.Holding(read),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p PreviewTokenParams) (PreviewTokenResult, error) {
			if p.UserID != "" && p.UserID != call.Caller.User && !call.Caller.May(readUsers) {
				return PreviewTokenResult{}, errOthers
			}
			org, err := call.Caller.Horizon()
			if err != nil {
				return PreviewTokenResult{}, err
			}
			found, err := s.Directory.Find(ctx, org, machines.AppKey{ID: p.AppID})
			if err != nil {
				return PreviewTokenResult{}, err
			}
			preview, err := s.Claims.Preview(ctx, found, claims.Ask{
				Person: p.UserID, Scopes: app.Texts(p.Scopes), Audience: p.Audience,
			})
			return PreviewTokenResult{Claims: preview.Claims, DroppedScopes: preview.Dropped, DroppedClaims: preview.DroppedClaims}, err
		},
	})
}
