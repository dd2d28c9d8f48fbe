package licences

import (
	"context"
	"errors"

	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/licence"
)

// LeaseParams name a lease.
type LeaseParams struct {
	LeaseID licence.LeaseID `json:"lease_id" doc:"The lease."`
	Key     string          `json:"key" doc:"The key of its licence." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
}

// LeaseResult is a lease, or why there is none.
type LeaseResult struct {
	Code  licence.Code `json:"code" doc:"valid, or why there is no seat." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=not_started,enum=expired,enum=machine_mismatch,enum=heartbeat_lapsed,enum=no_seats,enum=valid"`
	Lease *view.Lease  `json:"lease,omitzero" doc:"The lease, once there is one."`
}

// lease takes a floating seat of a licence that is held: the one that its machine and user
// have, or a free one.
func (s *Service) lease(ctx context.Context, tx Repos, of licence.Snapshot, want licence.LeaseSnapshot) (LeaseResult, error) {
	code, err := s.mayLease(ctx, tx, of, want.Machine)
	if code != "" || err != nil {
		return LeaseResult{Code: code}, err
	}
	now := s.now()
	found, err := tx.Leases.Of(ctx, of.ID, want.Machine, want.User)
	unknown := errors.Is(err, licence.ErrNoLease)
	if err != nil && !unknown {
		return LeaseResult{}, err
	}
	if unknown || !found.Snapshot().Held(now.Add(licence.ClockSkew)) {
		if free, err := s.seatFree(ctx, tx, of, found); err != nil || !free {
			return LeaseResult{Code: licence.NoSeats}, err
		}
	}
	if unknown {
		found = licence.Acquire(of, want, now)
	} else {
		found.Renew(of, want.Minutes, now)
	}
	shown := view.OfLease(found.Snapshot())
	return LeaseResult{Code: licence.Valid, Lease: &shown}, tx.Leases.Save(ctx, found)
}

// seatFree reports whether there is a floating seat beside those of others; known is the lease
// that is there already, nil for none.
func (s *Service) seatFree(ctx context.Context, tx Repos, of licence.Snapshot, known *licence.Lease) (bool, error) {
	taken, err := tx.Leases.Held(ctx, of.ID, s.now())
	if known != nil && known.Snapshot().Held(s.now()) {
		taken--
	}
	return taken < licence.MostSeats && licence.Room(taken, of.Terms.MostSeats()), err
}

// mayLease returns the code by which a machine may lease no seat of a licence; "" where it may.
func (s *Service) mayLease(ctx context.Context, tx Repos, of licence.Snapshot, machine licence.Fingerprint) (licence.Code, error) {
	if of.NotStarted() {
		return licence.NotStarted, nil
	}
	if of.Terms.MachineBound {
		found, err := tx.Machines.ByFingerprint(ctx, of.ID, machine)
		switch {
		case errors.Is(err, licence.ErrNoMachine):
			return licence.MachineMismatch, nil
		case err != nil:
			return "", err
		case !found.Snapshot().Alive(s.now()):
			return licence.HeartbeatLapsed, nil
		}
	}
	if !of.Terms.Floating {
		return licence.NoSeats, nil
	}
	return "", nil
}

// leaseOf reads a lease of a licence that is held. It fails with licence.ErrNoLease.
func leaseOf(ctx context.Context, tx Repos, of licence.ID, id licence.LeaseID) (*licence.Lease, error) {
	found, err := tx.Leases.ByID(ctx, id)
	if err == nil && found.Snapshot().LicenceID != of {
		err = licence.ErrNoLease
	}
	return found, err
}
