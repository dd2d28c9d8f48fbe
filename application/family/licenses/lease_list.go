package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
)

// mostLeases bounds how many leases are shown.
const mostLeases = 1000

// LeaseListResult is the result of LICENSE.LEASE_LIST.
type LeaseListResult struct {
	Items []view.Lease `json:"items" doc:"The leases that have not run out, newest first, at most 1000."`
	InUse int          `json:"in_use" doc:"How many seats are taken."`
	Seats int          `json:"seats" doc:"How many there are; 0: any number."`
}

func (s *Service) leaseList() command.Definition {
	return command.Define(command.Spec[Params, LeaseListResult]{
		Name:    "LICENSE.LEASE_LIST",
		Summary: "The floating seats of a license of the workspace that are in use now.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p Params) (LeaseListResult, error) {
			of, err := s.Licenses.Find(ctx, p.LicenseID)
			if err == nil && !call.Caller.Sees(of.OrgID) {
				err = license.ErrNotFound
			}
			if err != nil {
				return LeaseListResult{}, err
			}
			result := LeaseListResult{Items: []view.Lease{}, Seats: of.Terms.Seats}
			found, err := s.Leases.List(ctx, of.ID, s.now(), mostLeases)
			if err != nil {
				return LeaseListResult{}, err
			}
			for _, one := range found {
				result.Items = append(result.Items, view.OfLease(one))
			}
			if result.InUse = len(found); len(found) == mostLeases {
				result.InUse, err = s.Leases.Held(ctx, of.ID, s.now())
			}
			return result, err
		},
	})
}
