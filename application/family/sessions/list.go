package sessions

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[page.Params, page.Of[view.Session]]{
		Name:    "SESSION.LIST",
		Summary: "List the caller's active sessions, newest first, with device, address, last use, and the current one marked.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p page.Params) (page.Of[view.Session], error) {
			scope := "SESSION.LIST|" + call.Caller.User.String()
			list := s.Cursors.List(scope, p)
			before, err := list.Position()
			if err != nil {
				return page.Of[view.Session]{}, err
			}
			found, err := s.Directory.List(ctx, outbound.SessionQuery{
				User: call.Caller.User, Before: session.ID(before), Limit: p.Size() + 1, Now: s.Clock.Now(),
			})
			if err != nil {
				return page.Of[view.Session]{}, err
			}
			return page.Cut(list, found, position, func(one session.Snapshot) view.Session {
				return view.OfSession(one, call.Caller.Session)
			}), nil
		},
	})
}
