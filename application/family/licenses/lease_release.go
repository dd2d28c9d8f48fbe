package licenses

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// LeaseReleaseResult is the result of LICENSE.LEASE_RELEASE.
type LeaseReleaseResult struct {
	Released bool `json:"released" doc:"Whether the lease existed. False for an unknown key or lease."`
}

func (s *Service) leaseRelease() command.Definition {
	return command.Define(command.Spec[LeaseParams, LeaseReleaseResult]{
		Name:        "LICENSE.LEASE_RELEASE",
		Summary:     "Release a floating seat before its lease expires.",
		Description: "Call this command from your program with the license key; it needs no sign-in.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{license.KindLeaseReleased},
		Limits:      asked(),
		Subject:     func(_ context.Context, p LeaseParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p LeaseParams) (result LeaseReleaseResult, err error) {
			canonical, ok := license.ReadKey(p.Key)
			if !ok {
				return result, nil
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				result.Released, err = s.release(ctx, tx, canonical, p.LeaseID)
				return err
			})
			return result, err
		},
	})
}

// release removes a lease, and reports whether there was a lease.
func (s *Service) release(ctx context.Context, tx Repos, canonical string, id license.LeaseID) (bool, error) {
	of, err := tx.Licenses.ByKey(ctx, canonical, s.now())
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	gone, err := leaseOf(ctx, tx, of.Snapshot().ID, id)
	if errors.Is(err, license.ErrNoLease) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	gone.Release(of.Snapshot())
	return true, tx.Leases.Delete(ctx, gone)
}
