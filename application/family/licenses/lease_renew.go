package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

func (s *Service) leaseRenew() command.Definition {
	return command.Define(command.Spec[LeaseParams, LeaseResult]{
		Name: "LICENSE.LEASE_RENEW",
		Summary: "Keep a floating seat for as many minutes as before, from now. A lease that ran out takes a seat anew, if one is free; " +
			"one that was given back, or ran out a week ago, is NOT_FOUND.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindLeaseAcquired},
		Limits:  asked(),
		Subject: func(_ context.Context, p LeaseParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p LeaseParams) (result LeaseResult, err error) {
			came, err := s.byKey(ctx, p.Key, func(tx Repos, l *license.License) (seat, error) {
				held, err := leaseOf(ctx, tx, l.Snapshot().ID, p.LeaseID)
				if err != nil {
					return seat{}, err
				}
				result, err = s.lease(ctx, tx, l.Snapshot(), held.Snapshot())
				return seat{code: result.Code}, err
			})
			result.Code = came.code
			return result, err
		},
	})
}
