package apikeys

import (
	"context"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/ports/outbound"
)

// soon is how near the end of a key is that counts as expiring soon.
const soon = 30 * 24 * time.Hour

// ListParams are the parameters of API_KEY.LIST.
type ListParams struct {
	Status apikey.Status `json:"status,omitzero" doc:"Only keys that are so; absent: all." jsonschema:"enum=active,enum=expired,enum=revoked"`
	page.Params
}

// ListResult is the result of API_KEY.LIST.
type ListResult struct {
	page.Of[view.APIKey]

	Summary Summary `json:"summary" doc:"Counts over all your keys, whatever page and status were asked for."`
}

// Summary counts the keys of a user.
type Summary struct {
	Total        int `json:"total" doc:"Keys in all, also those that ended in the last 90 days."`
	Active       int `json:"active" doc:"Keys that were neither revoked nor have expired."`
	ExpiringSoon int `json:"expiring_soon" doc:"Active keys that end within 30 days."`
	UniqueScopes int `json:"unique_scopes" doc:"Different scopes of the active keys."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "API_KEY.LIST",
		Summary: "List your own API keys of all workspaces, newest first, with counts; one that has ended stays in the list for 90 days.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			query := outbound.APIKeyQuery{User: call.Caller.User, Status: p.Status}
			found, err := s.page(ctx, "API_KEY.LIST|"+string(p.Status)+"|"+query.User.String(), query, p.Params)
			if err != nil {
				return ListResult{}, err
			}
			now := s.Clock.Now()
			counted, err := s.Directory.Summary(ctx, query.User, outbound.APIKeyMoments{Now: now, Soon: now.Add(soon)})
			return ListResult{Of: found, Summary: Summary(counted)}, err
		},
	})
}

// page gives a page of the keys that match.
func (s *Service) page(ctx context.Context, scope string, query outbound.APIKeyQuery, p page.Params) (page.Of[view.APIKey], error) {
	list := s.Cursors.List(scope, p)
	before, err := list.Position()
	if err != nil {
		return page.Of[view.APIKey]{}, err
	}
	query.Before, query.Limit, query.Now = apikey.ID(before), p.Size()+1, s.Clock.Now()
	found, err := s.Directory.List(ctx, query)
	if err != nil {
		return page.Of[view.APIKey]{}, err
	}
	position := func(one outbound.ListedAPIKey) string { return one.Key.ID.String() }
	return page.Cut(list, found, position, func(one outbound.ListedAPIKey) view.APIKey {
		return view.OfAPIKey(one.Key, one.UsedAt, query.Now)
	}), nil
}
