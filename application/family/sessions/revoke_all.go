package sessions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/people"
)

// RevokedResult is the result of SESSION.REVOKE_ALL and SESSION.BULK_REVOKE.
type RevokedResult struct {
	RevokedCount int `json:"revoked_count" doc:"How many sessions this ended."`
}

func (s *Service) revokeAll() command.Definition {
	return command.Define(command.Spec[command.None, RevokedResult]{
		Name:    "SESSION.REVOKE_ALL",
		Summary: "Revoke every session of the caller except the current one.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Emits:   []event.Kind{session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (RevokedResult, error) {
			count, err := s.endAll(ctx, people.SessionQuery{
				User: call.Caller.User, Except: call.Caller.Session,
			}, session.ByUser)
			return RevokedResult{RevokedCount: count}, err
		},
	})
}
