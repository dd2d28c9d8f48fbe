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
var errOutside = fault.New(fault.Validation, "a key acts in the active workspace, and you do not belong to it: sign in to one that you are a member of")

// CreateParams are the parameters of API_KEY.CREATE.
type CreateParams struct {
	Name       apikey.Name `json:"name" doc:"What to call the key."`
	Scopes     []string    `json:"scopes" doc:"Permissions that the key shall have, or patterns such as apps:*, *:read or *; you must hold them now. With none it is good for what needs no permission, such as your own profile, sessions and keys." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
	ExpiresAt  time.Time   `json:"expires_at,omitzero" doc:"When it ends by itself, at most 10 years ahead; absent: never."`
	AllowedIPs []string    `json:"allowed_ips,omitzero" doc:"Addresses and networks in CIDR notation that it may be used from; absent or empty: anywhere." jsonschema:"maxItems=50,minLength=2,maxLength=64,example=192.0.2.0/24"`
}

// CreateResult is the result of API_KEY.CREATE.
type CreateResult struct {
	APIKey view.APIKey  `json:"api_key" doc:"The key as lists show it."`
	Key    secret.Shown `json:"key" doc:"The key itself, to be sent as a bearer token. It is shown this once."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, CreateResult]{
		Name: "API_KEY.CREATE",
		Summary: "Mint a long-lived key that acts as you in the active workspace, within your permissions at the time of each call; the key is shown once. " +
			"A user has at most 100 active keys, a workspace as many as the setting max_api_keys says.",
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
		return nil, workspace.OverQuota(most, "active API keys", "revoke some first", "max_api_keys")
	}
	return made, tx.Keys.Save(ctx, made)
}
