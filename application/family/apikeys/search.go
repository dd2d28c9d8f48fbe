package apikeys

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// SearchParams are the parameters of API_KEY.SEARCH. A key must match all that
// are given.
type SearchParams struct {
	UserID      user.ID       `json:"user_id,omitzero" doc:"ID of a user. Returns only keys of this user."`
	Scope       string        `json:"scope,omitzero" doc:"Returns only keys with this scope, or with a pattern that covers it. For example, apps:write also finds keys with apps:* and *." jsonschema:"minLength=1,maxLength=64,example=apps:write"`
	UnusedSince time.Time     `json:"unused_since,omitzero" doc:"Returns only keys created before this time and not used since."`
	Prefix      apikey.Prefix `json:"prefix,omitzero" doc:"Returns only keys that begin with this text, as shown in prefix. Never send a whole key."`
	page.Params
}

func (s *Service) search() command.Definition {
	return command.Define(command.Spec[SearchParams, page.Of[view.APIKey]]{
		Name:    "API_KEY.SEARCH",
		Summary: "Search the API keys of a workspace.",
		Description: "Returns the keys of all users in the active workspace, newest first. Use it to find unused keys and keys with too many " +
			"permissions. Keys that expired or were revoked in the last 90 days are included.\n\nSuperadmins search the keys of all workspaces.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SearchParams) (page.Of[view.APIKey], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[view.APIKey]{}, err
			}
			query := machines.APIKeyQuery{User: p.UserID, Org: org, Prefix: string(p.Prefix), UnusedSince: p.UnusedSince}
			if p.Scope != "" {
				if !isScope(p.Scope) {
					return page.Of[view.APIKey]{}, fault.Unfit("/scope", noScope)
				}
				query.Scopes = carrying(p.Scope)
			}
			return s.page(ctx, fmt.Sprintf("API_KEY.SEARCH|%v", query), query, p.Params)
		},
	})
}
