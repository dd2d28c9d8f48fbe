package sessions

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// SearchParams are the parameters of SESSION.SEARCH.
type SearchParams struct {
	UserID      user.ID    `json:"user_id,omitzero" doc:"Only sessions of this user."`
	IP          netip.Addr `json:"ip,omitzero" doc:"Only sessions whose sign-in came from this IP address." jsonschema:"minLength=2,example=203.0.113.7"`
	AppID       app.ID     `json:"app_id,omitzero" doc:"Only sessions in which the user authorized this app, and whose access is not revoked." example:"-"`
	AMR         string     `json:"amr,omitzero" doc:"Only sessions whose sign-in used this authentication method (RFC 8176)." jsonschema:"minLength=1,maxLength=32,example=pwd"`
	ActiveSince time.Time  `json:"active_since,omitzero" doc:"Only sessions used at or after this time."`
	page.Params
}

func (s *Service) search() command.Definition {
	return command.Define(command.Spec[SearchParams, page.Of[view.Session]]{
		Name:        "SESSION.SEARCH",
		Summary:     "Search active sessions of all users and workspaces, newest first.",
		Description: "Use this command for support and incident response.",
		Access:      access.Holding(manage),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SearchParams) (page.Of[view.Session], error) {
			query := people.SessionQuery{User: p.UserID, IP: written(p.IP), App: p.AppID, AMR: p.AMR, ActiveSince: p.ActiveSince}
			scope := fmt.Sprintf("SESSION.SEARCH|%v", query)
			list := s.Cursors.List(scope, p.Params)
			show := func(one session.Snapshot) view.Session { return view.OfSession(one, call.Caller.Session) }
			return page.Read(list, position, show, func(before string, most int) ([]session.Snapshot, error) {
				query.Before, query.Limit, query.Now = session.ID(before), most, s.Clock.Now()
				return s.Directory.List(ctx, query)
			})
		},
	})
}
