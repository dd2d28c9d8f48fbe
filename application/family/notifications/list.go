package notifications

import (
	"context"
	"strconv"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/ports/outbound/people"
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
			return page.Read(list, position, show, func(before string, most int) ([]notice.Snapshot, error) {
				return s.Directory.List(ctx, people.NoticeQuery{
					Owner: owner, Unread: p.Unread, Before: notice.ID(before), Limit: most,
				})
			})
		},
	})
}
