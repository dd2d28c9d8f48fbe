package impersonations

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// ListParams are the parameters of IMPERSONATION.LIST. An impersonation must match all that are given.
type ListParams struct {
	UserID  user.ID `json:"user_id,omitzero" doc:"Only impersonations of this user."`
	ActorID user.ID `json:"actor_id,omitzero" doc:"Only impersonations by this user."`
	Active  *bool   `json:"active,omitzero" doc:"Whether to list only active or only ended impersonations. Omit to list both."`
	page.Params
}

// ListResult is the result of IMPERSONATION.LIST.
type ListResult struct {
	page.Of[Impersonation]

	AllowedUntil *time.Time `json:"allowed_until" doc:"Until when you allow support to impersonate you. Null if you do not, or no longer do."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "IMPERSONATION.LIST",
		Summary: "List impersonations.",
		Description: "Shows who impersonated whom, when and why, newest first. You see the impersonations in which you are either party. With the " +
			"permission `users:impersonate`, you see all of them.\n\n" +
			"Impersonations are kept for 400 days.",
		Access: access.Anybody(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (result ListResult, err error) {
			query := people.ImpersonationQuery{User: p.UserID, Actor: p.ActorID, Active: p.Active, Now: s.Clock.Now()}
			if !call.Caller.May(acting) {
				if query.Concerning = call.Caller.User; query.Concerning == "" {
					return result, unknown(p)
				}
			}
			list := s.Cursors.List(scope(query), p.Params)
			if result.Of, err = page.Read(list, position, s.shown(query.Now), func(before string, most int) ([]people.Impersonation, error) {
				query.Before, query.Limit = impersonation.ID(before), most
				return s.Directory.List(ctx, query)
			}); err != nil || call.Caller.User == "" {
				return result, err
			}
			until, err := s.Directory.AllowedUntil(ctx, call.Caller.User)
			if until.After(query.Now) {
				result.AllowedUntil = view.Time(until)
			}
			return result, err
		},
	})
}

// unknown refuses an app without the permission, which nothing concerns.
func unknown(p ListParams) error {
	if p.UserID != "" || p.ActorID != "" {
		return user.ErrNotFound
	}
	return access.ErrNotForApps
}

func (s *Service) shown(now time.Time) func(people.Impersonation) Impersonation {
	return func(one people.Impersonation) Impersonation { return show(one.Snapshot, one.ActorName, now) }
}

// scope names the list of a query.
func scope(q people.ImpersonationQuery) string {
	active := ""
	if q.Active != nil {
		active = fmt.Sprint(*q.Active)
	}
	return fmt.Sprintf("IMPERSONATION.LIST|%s|%s|%s|%s", q.Concerning, q.User, q.Actor, active)
}

func position(one people.Impersonation) string { return one.ID.String() }
