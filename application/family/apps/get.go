package apps

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/machines"
)

var errOneKey = fault.Invalid("", "provide either app_id or slug, not both")

// GetParams are the parameters of APP.GET.
type GetParams struct {
	AppID app.ID   `json:"app_id,omitzero" doc:"ID of the app. Provide exactly one of app_id and slug." example:"-"`
	Slug  app.Slug `json:"slug,omitzero" doc:"The client_id of the app. Provide exactly one of app_id and slug."`
}

// GetResult is the result of APP.GET.
type GetResult struct {
	App     view.App `json:"app" doc:"The app."`
	Scopes  []string `json:"scopes" doc:"Scopes granted to the app."`
	Secrets []Secret `json:"secrets" doc:"Valid secrets of the app, newest first. During an overlap there are several."`
}

// Secret is a hint of a secret.
type Secret struct {
	SecretID   app.SecretID `json:"secret_id" doc:"ID of the secret."`
	Prefix     string       `json:"prefix" doc:"First characters of the secret."`
	CreatedAt  time.Time    `json:"created_at" doc:"Time the secret was created."`
	ExpiresAt  *time.Time   `json:"expires_at" doc:"Time the overlap with the next secret ends. Null if the secret was not rotated."`
	LastUsedAt *time.Time   `json:"last_used_at" doc:"Time a token was last obtained with the secret, to the minute. Null if it was never used."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "APP.GET",
		Summary: "Retrieve an app by ID or slug.",
		Description: "Returns the app with its granted scopes and the prefixes of its secrets. The app must belong to the active workspace. Superadmins can " +
			"retrieve every app.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			if (p.AppID == "") == (p.Slug == "") {
				return GetResult{}, errOneKey
			}
			org, err := call.Caller.Horizon()
			if err != nil {
				return GetResult{}, err
			}
			found, err := s.Directory.Find(ctx, org, machines.AppKey{ID: p.AppID, Slug: string(p.Slug)})
			if err == nil && !call.Caller.Reaches(found.ID) {
				err = app.ErrNotFound
			}
			if err != nil {
				return GetResult{}, err
			}
			secrets, err := s.secrets(ctx, found)
			return GetResult{App: view.OfApp(found), Scopes: found.Scopes, Secrets: secrets}, err
		},
	})
}

// secrets shows the secrets of an app that are good now.
func (s *Service) secrets(ctx context.Context, of app.Snapshot) ([]Secret, error) {
	live := of.LiveSecrets(s.Clock.Now())
	ids := make([]app.SecretID, len(live))
	for i, one := range live {
		ids[i] = one.ID
	}
	uses, err := s.Directory.SecretUses(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown := make([]Secret, len(live))
	for i, one := range live {
		shown[i] = Secret{
			SecretID: one.ID, Prefix: one.Prefix, CreatedAt: one.CreatedAt,
			ExpiresAt: view.Time(one.ExpiresAt), LastUsedAt: view.Time(uses[one.ID]),
		}
	}
	return shown, nil
}
