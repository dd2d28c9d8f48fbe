package sessions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/session"
)

// RevokeParams are the parameters of SESSION.REVOKE.
type RevokeParams struct {
	SessionID session.ID `json:"session_id" doc:"ID of the session, which can be the current one. Sessions of other users require sessions:manage."`
}

// RevokeResult is the result of SESSION.REVOKE.
type RevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:        "SESSION.REVOKE",
		Summary:     "Revoke a session, with its access and refresh tokens.",
		Description: "The tokens stop working immediately. Does nothing if the session has already ended.",
		Access:      access.Anybody().Scoped(manage),
		Effect:      command.Writes,
		Withdraws:   true,
		EndsOwn:     func(caller access.Caller, p RevokeParams) bool { return p.SessionID == caller.Session },
		Emits:       []event.Kind{session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error { return s.end(ctx, tx, call.Caller, p.SessionID) })
			if err != nil {
				return RevokeResult{}, err
			}
			return RevokeResult{Revoked: true}, nil
		},
	})
}

// end ends a session, of another user only for a caller who manages sessions.
func (s *Service) end(ctx context.Context, tx Repos, by access.Caller, id session.ID) error {
	target, err := tx.Sessions.ByID(ctx, id)
	if err != nil {
		return err
	}
	reason := session.ByUser
	if by.Kind != access.Person || !target.OwnedBy(by.User) {
		reason = session.ByAdmin
		if !by.May(manage) {
			return session.ErrNotFound
		}
	}
	now := s.Clock.Now()
	if !target.Active(now) {
		return nil
	}
	target.End(reason, now)
	return tx.Sessions.Save(ctx, target)
}
