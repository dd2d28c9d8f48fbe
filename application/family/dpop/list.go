package dpop

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound/machines"
)

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[page.Params, page.Of[Binding]]{
		Name:        "DPOP.LIST",
		Summary:     "List your DPoP key bindings.",
		Description: "Bindings are listed newest first. Revoked and expired bindings are included until they are removed.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p page.Params) (page.Of[Binding], error) {
			owner := ownerOf(call.Caller)
			list := s.Cursors.List("DPOP.LIST|"+owner.User.String()+"|"+owner.App.String(), p)
			before, err := list.Position()
			if err != nil {
				return page.Of[Binding]{}, err
			}
			found, err := s.Directory.List(ctx, machines.BindingQuery{Owner: owner, Before: dpop.ID(before), Limit: p.Size() + 1})
			if err != nil {
				return page.Of[Binding]{}, err
			}
			now := s.Clock.Now()
			cut := page.Cut(list, found, position, func(one dpop.Snapshot) Binding {
				shown, unreadable := show(one, now)
				if unreadable != nil {
					err = unreadable
				}
				return shown
			})
			return cut, err
		},
	})
}
