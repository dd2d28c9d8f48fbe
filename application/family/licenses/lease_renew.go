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
		Name:    "LICENSE.LEASE_RENEW",
		Summary: "Renew the lease of a floating seat.",
		Description: "Call this command from your program with the license key; it needs no sign-in.\n" +
			"The lease is extended from now by the same number of minutes as before.\n\n" +
			"An expired lease takes a seat again if one is free. A lease that was released, or that expired a week ago, fails with " +
			"`NOT_FOUND`.",
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
