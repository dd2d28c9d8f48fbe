package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// usualLease is how many minutes a lease holds that asks for none.
const usualLease = 60

// LeaseAcquireParams are the parameters of LICENSE.LEASE_ACQUIRE.
type LeaseAcquireParams struct {
	Key     string              `json:"key" doc:"License key." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine license.Fingerprint `json:"machine" doc:"Fingerprint of the machine."`
	User    string              `json:"user,omitzero" doc:"User on the machine, in any form your program chooses. Set it if each user of a machine needs a seat." jsonschema:"maxLength=255"`
	Minutes int                 `json:"minutes,omitzero" doc:"Duration of the lease. Minutes. Defaults to 60." jsonschema:"minimum=5,maximum=1440,example=60"`
}

func (s *Service) leaseAcquire() command.Definition {
	return command.Define(command.Spec[LeaseAcquireParams, LeaseResult]{
		Name:    "LICENSE.LEASE_ACQUIRE",
		Summary: "Lease a floating seat of a license.",
		Description: "Call this command from your program with the license key; it needs no sign-in.\n\n" +
			"If the machine and user already have a lease, they keep the seat and the lease is extended.\n" +
			"If the seats of the license do not float, `code` is `no_seats`.\n\n" +
			"Renew the lease with `LICENSE.LEASE_RENEW` and return the seat with `LICENSE.LEASE_RELEASE`.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindLeaseAcquired},
		Limits:  asked(),
		Subject: func(_ context.Context, p LeaseAcquireParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p LeaseAcquireParams) (result LeaseResult, err error) {
			if p.Minutes == 0 {
				p.Minutes = usualLease
			}
			want := license.LeaseSnapshot{ID: license.NewLeaseID(s.IDs), Machine: p.Machine, User: p.User, Minutes: p.Minutes}
			came, err := s.byKey(ctx, p.Key, func(tx Repos, l *license.License) (came seat, err error) {
				result, err = s.lease(ctx, tx, l.Snapshot(), want)
				return seat{code: result.Code}, err
			})
			result.Code = came.code
			return result, err
		},
	})
}
