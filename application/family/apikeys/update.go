package apikeys

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
)

// UpdateParams are the parameters of API_KEY.UPDATE.
type UpdateParams struct {
	KeyID      apikey.ID    `json:"key_id" doc:"ID of one of your API keys."`
	Name       *apikey.Name `json:"name,omitzero" doc:"New name of the key. Omit to keep the current value."`
	Scopes     []string     `json:"scopes,omitzero" doc:"Full list of scopes, replacing the current ones. You must hold each of them now in the key's workspace. An empty list removes all scopes. Omit to keep the current value." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
	ExpiresAt  time.Time    `json:"expires_at,omitzero" doc:"When the key expires. At most 10 years ahead. Omit to keep the current value."`
	AllowedIPs []string     `json:"allowed_ips,omitzero" doc:"Full list of IP addresses and CIDR networks the key can be used from. An empty list allows all. Omit to keep the current value." jsonschema:"maxItems=50,minLength=2,maxLength=64,example=192.0.2.0/24"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, KeyResult]{
		Name:    "API_KEY.UPDATE",
		Summary: "Update one of your API keys.",
		Description: "Changes the key's name, scopes, expiry or allowed networks. You can widen its scopes up to the permissions you hold " +
			"yourself.\n\nOmitted fields keep their values. Expired and revoked keys cannot be changed.\n\nRequires a sign-in within the last " +
			"15 minutes.",
		Access:      access.User().InPerson().Recent(),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{apikey.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result KeyResult, err error) {
			networks, err := apikey.Networks(p.AllowedIPs)
			if err != nil {
				return KeyResult{}, err
			}
			change := apikey.Change{Name: (*string)(p.Name), Scopes: p.Scopes, AllowedIPs: networks, ExpiresAt: p.ExpiresAt}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				k, err := s.changed(ctx, tx, call.Caller, p.KeyID, change)
				if err == nil {
					result.APIKey, err = s.show(ctx, tx, k)
				}
				return err
			})
			return result, err
		},
	})
}

// changed changes an own key and stores it unless nothing changed.
func (s *Service) changed(ctx context.Context, tx Repos, caller access.Caller, id apikey.ID, change apikey.Change) (*apikey.Key, error) {
	k, err := own(ctx, tx, caller, id)
	if err != nil {
		return nil, err
	}
	if err := grantable(caller, change.Scopes); err != nil {
		return nil, err
	}
	if err := k.Update(change, s.Clock.Now()); err != nil || !k.Changed() {
		return k, err
	}
	return k, tx.Keys.Save(ctx, k)
}
