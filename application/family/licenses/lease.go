package licenses

import (
	"context"
	"errors"

	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/license"
)

// LeaseParams name a lease.
type LeaseParams struct {
	LeaseID license.LeaseID `json:"lease_id" doc:"ID of the lease."`
	Key     string          `json:"key" doc:"Key of the license that the lease belongs to." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
}

// LeaseResult is a lease, or why there is none.
type LeaseResult struct {
	Code  license.Code `json:"code" doc:"Outcome: valid, or the reason why no seat is leased." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=not_started,enum=expired,enum=machine_mismatch,enum=heartbeat_lapsed,enum=no_seats,enum=valid"`
	Lease *view.Lease  `json:"lease,omitzero" doc:"The lease. Present if a seat is leased."`
}

// lease takes a floating seat of a license that is held: the one that its machine and user
// have, or a free one.
func (s *Service) lease(ctx context.Context, tx Repos, of license.Snapshot, want license.LeaseSnapshot) (LeaseResult, error) {
	code, err := s.mayLease(ctx, tx, of, want.Machine)
	if code != "" || err != nil {
		return LeaseResult{Code: code}, err
	}
	now := s.now()
	found, err := tx.Leases.Of(ctx, of.ID, want.Machine, want.User)
	unknown := errors.Is(err, license.ErrNoLease)
	if err != nil && !unknown {
		return LeaseResult{}, err
	}
	if unknown || !found.Snapshot().Held(now.Add(license.ClockSkew)) {
		if free, err := s.seatFree(ctx, tx, of, found); err != nil || !free {
			return LeaseResult{Code: license.NoSeats}, err
		}
	}
	if unknown {
		found = license.Acquire(of, want, now)
	} else {
		found.Renew(of, want.Minutes, now)
	}
	shown := view.OfLease(found.Snapshot())
	return LeaseResult{Code: license.Valid, Lease: &shown}, tx.Leases.Save(ctx, found)
}

// seatFree reports whether there is a floating seat beside those of others; known is the lease
// that is there already, nil for none.
func (s *Service) seatFree(ctx context.Context, tx Repos, of license.Snapshot, known *license.Lease) (bool, error) {
	taken, err := tx.Leases.Held(ctx, of.ID, s.now())
	if known != nil && known.Snapshot().Held(s.now()) {
		taken--
	}
	return taken < license.MostSeats && license.Room(taken, of.Terms.MostSeats()), err
}

// mayLease returns the code by which a machine may lease no seat of a license; "" where it may.
func (s *Service) mayLease(ctx context.Context, tx Repos, of license.Snapshot, machine license.Fingerprint) (license.Code, error) {
	if of.NotStarted() {
		return license.NotStarted, nil
	}
	if of.Terms.MachineBound {
		found, err := tx.Machines.ByFingerprint(ctx, of.ID, machine)
		switch {
		case errors.Is(err, license.ErrNoMachine):
			return license.MachineMismatch, nil
		case err != nil:
			return "", err
		case !found.Snapshot().Alive(s.now()):
			return license.HeartbeatLapsed, nil
		}
	}
	if !of.Terms.Floating {
		return license.NoSeats, nil
	}
	return "", nil
}

// leaseOf reads a lease of a license that is held. It fails with license.ErrNoLease.
func leaseOf(ctx context.Context, tx Repos, of license.ID, id license.LeaseID) (*license.Lease, error) {
	found, err := tx.Leases.ByID(ctx, id)
	if err == nil && found.Snapshot().LicenseID != of {
		err = license.ErrNoLease
	}
	return found, err
}
