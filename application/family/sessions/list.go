package sessions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/people"
)

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[page.Params, page.Of[view.Session]]{
		Name:        "SESSION.LIST",
		Summary:     "List your active sessions, newest first.",
		Description: "Each session shows its device, IP address and last use. The current session is marked.",
		Access:      access.User(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p page.Params) (page.Of[view.Session], error) {
			scope := "SESSION.LIST|" + call.Caller.User.String()
			list := s.Cursors.List(scope, p)
			show := func(one session.Snapshot) view.Session { return view.OfSession(one, call.Caller.Session) }
			return page.Read(list, position, show, func(before string, most int) ([]session.Snapshot, error) {
				return s.Directory.List(ctx, people.SessionQuery{
					User: call.Caller.User, Before: session.ID(before), Limit: most, Now: s.Clock.Now(),
				})
			})
		},
	})
}
