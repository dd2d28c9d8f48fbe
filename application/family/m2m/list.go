package m2m

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound/machines"
)

// ListParams are the parameters of M2M.LIST.
type ListParams struct {
	AppID  app.ID `json:"app_id,omitzero" doc:"Return only tokens of this app."`
	Active *bool  `json:"active,omitzero" doc:"Return only tokens that are valid now or, if false, only tokens that no longer are."`
	page.Params
}

// Token is a token in lists.
type Token struct {
	JTI       string    `json:"jti" doc:"ID of the token." jsonschema:"format=uuid"`
	AppID     app.ID    `json:"app_id" doc:"ID of the app the token was issued to."`
	Scope     string    `json:"scope" doc:"Scopes the token was issued with, separated by spaces."`
	Audience  string    `json:"audience" doc:"Audience of the token."`
	IssuedAt  time.Time `json:"issued_at" doc:"Time the token was issued."`
	ExpiresAt time.Time `json:"expires_at" doc:"Time the token expires."`
	DPoP      bool      `json:"dpop" doc:"Whether the token is bound to a key."`
	Active    bool      `json:"active" doc:"Whether the token is valid now. It is not once it was revoked or has expired, once its app was disabled, or once the audience was moved away from the app."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Token]]{
		Name:        "M2M.LIST",
		Summary:     "List the access tokens issued to the workspace's apps.",
		Description: "Tokens are listed newest first. Expired tokens are kept only for a while. Superadmins see the tokens of all workspaces.",
		Access:      access.Holding("apps:read"),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Token], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[Token]{}, err
			}
			query := machines.TokenQuery{Org: org, App: p.AppID, Active: p.Active}
			list := s.Cursors.List(scopeOfList(query), p.Params)
			now := s.Clock.Now()
			return page.Read(list, position, shown, func(before string, most int) ([]m2m.ListedToken, error) {
				query.Before, query.Limit, query.Now = before, most, now
				return s.Directory.List(ctx, query)
			})
		},
	})
}

// scopeOfList returns what must not change between pages.
func scopeOfList(query machines.TokenQuery) string {
	active := "any"
	if query.Active != nil {
		active = fmt.Sprint(*query.Active)
	}
	return "M2M.LIST|" + query.Org.String() + "|" + query.App.String() + "|" + active
}

func position(one m2m.ListedToken) string { return one.JTI }

func shown(one m2m.ListedToken) Token {
	return Token{
		JTI: one.JTI, AppID: one.App, Scope: one.Scope, Audience: one.Audience,
		IssuedAt: one.IssuedAt, ExpiresAt: one.ExpiresAt, DPoP: one.JKT != "", Active: one.Active,
	}
}
