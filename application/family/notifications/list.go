package notifications

import (
	"context"
	"strconv"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/ports/outbound"
)

// ListParams are the parameters of NOTIFICATION.LIST.
type ListParams struct {
	Unread bool `json:"unread,omitzero" doc:"Only those that are not marked read."`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Notification]]{
		Name:    "NOTIFICATION.LIST",
		Summary: "List the caller's security notices, newest first: new devices, changed passwords, minted keys and the like. They are kept for a year.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Notification], error) {
			owner := call.Caller.User
			list := s.Cursors.List("NOTIFICATION.LIST|"+owner.String()+"|"+strconv.FormatBool(p.Unread), p.Params)
			before, err := list.Position()
			if err != nil {
				return page.Of[Notification]{}, err
			}
			found, err := s.Directory.List(ctx, outbound.NoticeQuery{
				Owner: owner, Unread: p.Unread, Before: notice.ID(before), Limit: p.Size() + 1,
			})
			if err != nil {
				return page.Of[Notification]{}, err
			}
			return page.Cut(list, found, position, show), nil
		},
	})
}
