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
	Unread bool `json:"unread,omitzero" doc:"Whether to list only unread notices."`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Notification]]{
		Name:        "NOTIFICATION.LIST",
		Summary:     "List your security notices, newest first.",
		Description: "Notices report events such as new devices, changed passwords and new API keys. They are kept for one year.",
		Access:      access.User(),
		Effect:      command.Reads,
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
