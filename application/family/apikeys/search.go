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
	UserID      user.ID          `json:"user_id,omitzero" doc:"Keys of this person."`
	Scope       string           `json:"scope,omitzero" doc:"Keys that carry this scope, or a pattern that covers it: apps:write also finds those with apps:* and *." jsonschema:"minLength=1,maxLength=64,example=apps:write"`
	UnusedSince time.Time        `json:"unused_since,omitzero" doc:"Keys that were made before this time and not used at it or later."`
	Prefix      apikey.Beginning `json:"prefix,omitzero" doc:"Keys that begin so, as their prefix shows; never send a whole key to look for it."`
	page.Params
}

func (s *Service) search() command.Definition {
	return command.Define(command.Spec[SearchParams, page.Of[view.APIKey]]{
		Name:    "API_KEY.SEARCH",
		Summary: "Search the API keys that act in the workspace, of all its people, newest first, to find idle or over-broad ones; those that ended in the last 90 days are among them. Superadmins search those of all workspaces.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
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
