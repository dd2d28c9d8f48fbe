package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
)

// SetClaimsParams are the parameters of APP.SET_CLAIMS.
type SetClaimsParams struct {
	AppID  app.ID            `json:"app_id" doc:"The app."`
	Claims map[string]string `json:"claims" doc:"All custom claims, in place of those before: CEL expressions by name, at most 20 of at most 1024 bytes and 4 KiB in all, whose values have at most 4 KiB in all. They see user (id, email, email_verified, display_name, locale, timezone, external_id, metadata_json, roles, groups, created_at; null in M2M tokens), workspace (id, name, personal) and app (id, slug, name, type), and have the functions of CEL, text.split(separator) and text.lowerAscii(). In ID tokens and userinfo, fields of user that the token's scopes do not give are null; so are external_id, metadata_json and created_at of people who are not members of the app's workspace. A name has letters, digits, _, . and -, a letter first, or is a URI. preferred_username, given_name, family_name and groups replace the standard claims in ID tokens and userinfo. Other names that tokens, OpenID providers or resource servers give a meaning to are refused: the IANA registry of JWT claims, roles, permissions, org_id, cnf, act and the like."`
}

// SetClaimsResult is the result of APP.SET_CLAIMS.
type SetClaimsResult struct {
	Claims map[string]string `json:"claims" doc:"The custom claims now."`
}

func (s *Service) setClaims() command.Definition {
	return command.Define(command.Spec[SetClaimsParams, SetClaimsResult]{
		Name: "APP.SET_CLAIMS",
		Summary: "Set the custom claims of an app's tokens, as expressions over user, workspace and app; " +
			"a claim whose expression gives null, or fails for a token, is left out of it. See APP.PREVIEW_TOKEN.",
		Access: access.Holding(write).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindClaimsSet},
		Handle: func(ctx context.Context, call command.Call, p SetClaimsParams) (SetClaimsResult, error) {
			if err := app.CheckClaims(p.Claims); err != nil {
				return SetClaimsResult{}, err
			}
			if err := s.Claims.Check(ctx, call.Caller.Org, p.Claims); err != nil {
				return SetClaimsResult{}, err
			}
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				return a.SetClaims(p.Claims, s.Clock.Now())
			})
			return SetClaimsResult{Claims: after.Claims}, err
		},
	})
}
