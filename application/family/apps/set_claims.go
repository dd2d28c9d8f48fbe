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
	AppID  app.ID            `json:"app_id" doc:"ID of the app."`
	Claims map[string]string `json:"claims" doc:"CEL expressions by claim name, replacing all existing custom claims. At most 20 claims of at most 1024 bytes each, and 4 KiB in total. The description lists the variables and the allowed names."`
}

// SetClaimsResult is the result of APP.SET_CLAIMS.
type SetClaimsResult struct {
	Claims map[string]string `json:"claims" doc:"Custom claims after the change."`
}

const setClaimsDescription = "Each claim is a CEL expression over these variables:\n\n" +
	"- `user`: `id`, `email`, `email_verified`, `display_name`, `locale`, `timezone`, `external_id`, `metadata_json`, `roles`, `groups` and " +
	"`created_at`. Null in M2M tokens.\n" +
	"- `workspace`: `id`, `name` and `personal`.\n" +
	"- `app`: `id`, `slug`, `name` and `type`.\n\n" +
	"Besides the functions of CEL, you can use `text.split(separator)` and `text.lowerAscii()`. A claim is left out of a token if its expression " +
	"is null or fails for that token. The values of all claims of a token have at most 4 KiB. APP.PREVIEW_TOKEN shows the result.\n\n" +
	"In ID tokens and userinfo, fields of `user` that the token's scopes do not give are null. For people who are not members of the app's " +
	"workspace, `external_id`, `metadata_json` and `created_at` are null as well.\n\n" +
	"The name of a claim is a URI, or starts with a letter and consists of letters, digits, `_`, `.` and `-`. In ID tokens and userinfo, the " +
	"names `preferred_username`, `given_name`, `family_name` and `groups` replace the standard claims. Other names that tokens, OpenID providers " +
	"or resource servers give a meaning to are refused. Examples are `roles`, `permissions`, `org_id`, `cnf`, `act`, and the names in the IANA " +
	"registry of JWT claims."

func (s *Service) setClaims() command.Definition {
	return command.Define(command.Spec[SetClaimsParams, SetClaimsResult]{
		Name:        "APP.SET_CLAIMS",
		Summary:     "Set the custom claims of an app's tokens.",
		Description: setClaimsDescription,
		Access:      access.Holding(write).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{app.KindClaimsSet},
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
