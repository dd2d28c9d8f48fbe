package impersonations

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
)

// errUnnamed refuses a call that names no impersonation and is made by none.
var errUnnamed = fault.Invalid("/impersonation_id", "provide impersonation_id, or call with the token of the impersonation")

// StopParams are the parameters of IMPERSONATION.STOP.
type StopParams struct {
	ImpersonationID impersonation.ID `json:"impersonation_id,omitzero" doc:"ID of the impersonation to end. Defaults to the impersonation whose token you send. Impersonations of other people require the permission users:manage."`
}

// StopResult is the result of IMPERSONATION.STOP.
type StopResult struct {
	Stopped bool `json:"stopped" doc:"Always true."`
}

func (s *Service) stop() command.Definition {
	return command.Define(command.Spec[StopParams, StopResult]{
		Name:    "IMPERSONATION.STOP",
		Summary: "End an impersonation and its token.",
		Description: "You can end it as the impersonating user, also with the impersonation token, or as the impersonated user. Ending the " +
			"impersonations of other people requires the permission `users:manage`. Stopping an impersonation that has already ended has no " +
			"effect.",
		Access:    access.Anybody().Scoped(account.Manage),
		Effect:    command.Writes,
		Withdraws: true,
		EndsOwn: func(caller access.Caller, p StopParams) bool {
			return caller.Kind == access.Impersonated && (p.ImpersonationID == "" || p.ImpersonationID == caller.Impersonation)
		},
		Emits: []event.Kind{impersonation.KindStopped},
		Handle: func(ctx context.Context, call command.Call, p StopParams) (StopResult, error) {
			if p.ImpersonationID == "" {
				p.ImpersonationID = call.Caller.Impersonation
			}
			if p.ImpersonationID == "" {
				return StopResult{}, errUnnamed
			}
			if err := s.Unit.Do(ctx, func(tx Repos) error { return s.stopOne(ctx, tx, call.Caller, p.ImpersonationID) }); err != nil {
				return StopResult{}, err
			}
			return StopResult{Stopped: true}, nil
		},
	})
}

func (s *Service) stopOne(ctx context.Context, tx Repos, caller access.Caller, id impersonation.ID) error {
	one, err := tx.Impersonations.ByID(ctx, id)
	if err != nil {
		return err
	}
	now, by := s.Clock.Now(), stopping(caller, one.Snapshot())
	switch {
	case by == "":
		return impersonation.ErrNotFound
	case !one.Active(now):
		return nil
	}
	impersonated, err := tx.Sessions.ByID(ctx, one.Snapshot().SessionID)
	if err != nil {
		return err
	}
	impersonated.Return(session.ByStop, now)
	if err := tx.Sessions.Save(ctx, impersonated); err != nil {
		return err
	}
	one.Stop(by, now)
	return tx.Impersonations.Save(ctx, one)
}

// stopping returns as what a caller stops an impersonation; "" where it is not theirs to stop.
func stopping(caller access.Caller, of impersonation.Snapshot) impersonation.End {
	switch {
	case caller.Kind == access.Impersonated && caller.Impersonation == of.ID, caller.Kind == access.Person && caller.User == of.ActorID:
		return impersonation.ByActor
	case caller.Kind == access.Person && caller.User == of.UserID:
		return impersonation.ByPerson
	case caller.Kind != access.Impersonated && caller.May(account.Manage):
		return impersonation.ByAdmin
	}
	return ""
}
