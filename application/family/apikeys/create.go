package apikeys

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
)

// errOutside is returned for a key that would not work anywhere.
var errOutside = fault.New(fault.Validation, "an API key acts in the active workspace, and you are not a member of it: sign in to a workspace you belong to")

// CreateParams are the parameters of API_KEY.CREATE.
type CreateParams struct {
	Name       apikey.Name `json:"name" doc:"Name of the key."`
	Scopes     []string    `json:"scopes" doc:"Permissions of the key, or patterns such as apps:*, *:read or *. You must hold them now. A key without scopes works only for commands that need no permission, such as those for your own profile, sessions and keys." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
	ExpiresAt  time.Time   `json:"expires_at,omitzero" doc:"When the key expires. At most 10 years ahead. Omit to create a key that never expires."`
	AllowedIPs []string    `json:"allowed_ips,omitzero" doc:"IP addresses and CIDR networks the key can be used from. Omit or leave empty to allow all." jsonschema:"maxItems=50,minLength=2,maxLength=64,example=192.0.2.0/24"`
}

// CreateResult is the result of API_KEY.CREATE.
type CreateResult struct {
	APIKey view.APIKey  `json:"api_key" doc:"The new API key, without its secret."`
	Key    secret.Shown `json:"key" doc:"Secret text of the key. Send it as a bearer token. Returned only once."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, CreateResult]{
		Name:    "API_KEY.CREATE",
		Summary: "Create an API key.",
		Description: "The key acts as you in the active workspace and never exceeds the permissions you hold at the time of each call. The secret is " +
			"returned only once.\n\nA user can have at most 100 active keys. The setting `max_api_keys` limits the active keys of a " +
			"workspace.\n\nRequires a sign-in within the last 15 minutes.",
		Access:      access.User().InPerson().Recent(),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{apikey.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (CreateResult, error) {
			if err := grantable(call.Caller, p.Scopes); err != nil {
				return CreateResult{}, err
			}
			networks, err := apikey.Networks(p.AllowedIPs)
			if err != nil {
				return CreateResult{}, err
			}
			draft := apikey.Draft{
				ID: apikey.NewID(s.IDs), UserID: call.Caller.User, OrgID: call.Caller.Org, Name: string(p.Name),
				Scopes: p.Scopes, AllowedIPs: networks, ExpiresAt: p.ExpiresAt, Text: keytext.New(keytext.APIKey, s.Random),
			}
			result := CreateResult{Key: draft.Text}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				made, err := s.mint(ctx, tx, draft)
				if err == nil {
					result.APIKey = view.OfAPIKey(made.Snapshot(), time.Time{}, s.Clock.Now())
				}
				return err
			})
			return result, err
		},
	})
}

// mint makes and stores a key. It fails with errOutside or apikey.ErrTooMany, and as
// apikey.Mint and workspace.OverQuota say.
func (s *Service) mint(ctx context.Context, tx Repos, draft apikey.Draft) (*apikey.Key, error) {
	now := s.Clock.Now()
	made, err := apikey.Mint(draft, now)
	if err != nil {
		return nil, err
	}
	_, err = tx.Workspaces.Member(ctx, draft.OrgID, draft.UserID)
	if errors.Is(err, workspace.ErrNotMember) {
		return nil, errOutside
	}
	if err != nil {
		return nil, err
	}
	active, err := tx.Keys.Active(ctx, draft.UserID, now)
	if err != nil {
		return nil, err
	}
	if active >= apikey.MaxActive {
		return nil, apikey.ErrTooMany
	}
	if active, err = tx.Quotas.APIKeys(ctx, draft.OrgID, now); err != nil {
		return nil, err
	}
	if most := s.Instance.State().Settings.MaxAPIKeys; active >= most {
		return nil, workspace.OverQuota(most, "active API key", "revoke unused keys", "max_api_keys")
	}
	return made, tx.Keys.Save(ctx, made)
}
