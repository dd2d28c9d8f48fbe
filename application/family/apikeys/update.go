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
	KeyID      apikey.ID    `json:"key_id" doc:"The key, one of your own."`
	Name       *apikey.Name `json:"name,omitzero" doc:"What to call it."`
	Scopes     []string     `json:"scopes,omitzero" doc:"All scopes that it shall have from now on; you must hold each of them now, in the key's workspace. An empty list leaves it none." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
	ExpiresAt  time.Time    `json:"expires_at,omitzero" doc:"When it shall end by itself, at most 10 years ahead."`
	AllowedIPs []string     `json:"allowed_ips,omitzero" doc:"All addresses and networks that it may be used from; an empty list allows it from anywhere." jsonschema:"maxItems=50,minLength=2,maxLength=64,example=192.0.2.0/24"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, KeyResult]{
		Name:    "API_KEY.UPDATE",
		Summary: "Rename, narrow or shorten one of your API keys, or widen it to what you hold yourself; what is absent stays, and one that has ended cannot be changed.",
		Access:  access.User().InPerson().Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{apikey.KindUpdated},
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
	now := s.Clock.Now()
	holder, err := s.within(ctx, tx, caller, k.Snapshot().OrgID)
	if err != nil {
		return nil, err
	}
	if err := grantable(holder, change.Scopes); err != nil {
		return nil, err
	}
	if err := k.Update(change, now); err != nil || !k.Changed() {
		return k, err
	}
	return k, tx.Keys.Save(ctx, k)
}
