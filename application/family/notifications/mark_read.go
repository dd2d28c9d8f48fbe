package notifications

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/notice"
)

// errOneWay is returned for a call that names no notices, or some and all.
var errOneWay = fault.Invalid("", "provide either notification_ids or all: true, not both")

// MarkReadParams are the parameters of NOTIFICATION.MARK_READ.
type MarkReadParams struct {
	NotificationIDs []notice.ID `json:"notification_ids,omitzero" doc:"IDs of notices to mark as read. IDs of other users' notices are ignored. Provide either this or all." jsonschema:"minItems=1,maxItems=200"`
	All             bool        `json:"all,omitzero" doc:"Whether to mark all of your notices as read." example:"-"`
}

// MarkReadResult is the result of NOTIFICATION.MARK_READ.
type MarkReadResult struct {
	Marked int `json:"marked" doc:"Number of notices that were unread before."`
}

func (s *Service) markRead() command.Definition {
	return command.Define(command.Spec[MarkReadParams, MarkReadResult]{
		Name:    "NOTIFICATION.MARK_READ",
		Summary: "Mark security notices as read.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Handle: func(ctx context.Context, call command.Call, p MarkReadParams) (MarkReadResult, error) {
			if (len(p.NotificationIDs) == 0) != p.All {
				return MarkReadResult{}, errOneWay
			}
			var marked int
			err := s.Unit.Do(ctx, func(tx Repos) (err error) {
				marked, err = tx.Notices.MarkRead(ctx, call.Caller.User, p.NotificationIDs, s.Clock.Now())
				return err
			})
			return MarkReadResult{Marked: marked}, err
		},
	})
}
