package apikeys

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/ports/outbound/machines"
)

// soon is how near the end of a key is that counts as expiring soon.
const soon = 30 * 24 * time.Hour

// ListParams are the parameters of API_KEY.LIST.
type ListParams struct {
	Status apikey.Status `json:"status,omitzero" doc:"Returns only keys with this status. Omit to return all." jsonschema:"enum=active,enum=expired,enum=revoked"`
	page.Params
}

// ListResult is the result of API_KEY.LIST.
type ListResult struct {
	page.Of[view.APIKey]

	Summary Summary `json:"summary" doc:"Counts over all your keys, regardless of page and status filter."`
}

// Summary counts the keys of a user.
type Summary struct {
	Total        int `json:"total" doc:"Number of keys, including those that expired or were revoked in the last 90 days."`
	Active       int `json:"active" doc:"Number of keys that are neither revoked nor expired."`
	ExpiringSoon int `json:"expiring_soon" doc:"Number of active keys that expire within 30 days."`
	UniqueScopes int `json:"unique_scopes" doc:"Number of distinct scopes of the active keys."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:        "API_KEY.LIST",
		Summary:     "List your API keys.",
		Description: "Returns your keys of all workspaces, newest first, with counts. Expired and revoked keys stay in the list for 90 days.",
		Access:      access.User(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			query := machines.APIKeyQuery{User: call.Caller.User, Status: p.Status}
			found, err := s.page(ctx, "API_KEY.LIST|"+string(p.Status)+"|"+query.User.String(), query, p.Params)
			if err != nil {
				return ListResult{}, err
			}
			now := s.Clock.Now()
			counted, err := s.Directory.Summary(ctx, query.User, machines.APIKeyMoments{Now: now, Soon: now.Add(soon)})
			return ListResult{Of: found, Summary: Summary(counted)}, err
		},
	})
}

// page returns a page of the keys that match.
func (s *Service) page(ctx context.Context, scope string, query machines.APIKeyQuery, p page.Params) (page.Of[view.APIKey], error) {
	list := s.Cursors.List(scope, p)
	position := func(one machines.ListedAPIKey) string { return one.Key.ID.String() }
	now := s.Clock.Now()
	show := func(one machines.ListedAPIKey) view.APIKey { return view.OfAPIKey(one.Key, one.UsedAt, now) }
	return page.Read(list, position, show, func(before string, most int) ([]machines.ListedAPIKey, error) {
		query.Before, query.Limit, query.Now = apikey.ID(before), most, now
		return s.Directory.List(ctx, query)
	})
}
