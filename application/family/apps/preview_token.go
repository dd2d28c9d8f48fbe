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

var errOthers = fault.New(fault.Denied, "a preview for another person requires the permission "+readUsers)

// PreviewTokenParams are the parameters of APP.PREVIEW_TOKEN.
type PreviewTokenParams struct {
	AppID    app.ID      `json:"app_id" doc:"ID of the app."`
	UserID   user.ID     `json:"user_id,omitzero" doc:"ID of the workspace member the token would be for. Requires users:read unless it is your own ID. Omit to preview an M2M token of the app itself."`
	Scopes   []app.Scope `json:"scopes,omitzero" doc:"Scopes to request. Omit to request all granted scopes. Use an empty list to request none." jsonschema:"maxItems=200,uniqueItems=true"`
	Audience string      `json:"audience,omitzero" doc:"Audience to request. Defaults to this service." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$,example=https://api.example.com"`
}

// PreviewTokenResult is the result of APP.PREVIEW_TOKEN.
type PreviewTokenResult struct {
	Claims        map[string]any `json:"claims" doc:"Claims of the token, with a placeholder for jti. Claims that a sign-in or a bound key adds (sid, auth_time, amr, cnf) are left out."`
	DroppedScopes []string       `json:"dropped_scopes" doc:"Requested scopes that the token would not carry, because they are not granted to the app or the person does not hold them."`
	DroppedClaims []string       `json:"dropped_claims" doc:"Custom claims of the app that no token carries, although they were once set: reserved names, and claims beyond the first 20, sorted by name."`
}

func (s *Service) previewToken() command.Definition {
	return command.Define(command.Spec[PreviewTokenParams, PreviewTokenResult]{
		Name:        "APP.PREVIEW_TOKEN",
		Summary:     "Preview the claims of an app's token.",
		Description: "Shows the claims of a token for a person or for the app itself. No token is issued.",
		Access:      access.Holding(read),
		Effect:      command.Reads,
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
			preview, err := s.Claims.Preview(ctx, found, claims.PreviewRequest{
				Person: p.UserID, Scopes: app.Texts(p.Scopes), Audience: p.Audience,
			})
			return PreviewTokenResult{Claims: preview.Claims, DroppedScopes: preview.Dropped, DroppedClaims: preview.DroppedClaims}, err
		},
	})
}
