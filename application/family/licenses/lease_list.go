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
	Items []view.Lease `json:"items" doc:"Leases that have not expired, newest first. At most 1,000."`
	InUse int          `json:"in_use" doc:"Number of seats in use."`
	Seats int          `json:"seats" doc:"Number of seats of the license. 0 means unlimited."`
}

func (s *Service) leaseList() command.Definition {
	return command.Define(command.Spec[Params, LeaseListResult]{
		Name:        "LICENSE.LEASE_LIST",
		Summary:     "List the floating seats of a license that are in use.",
		Description: "Lists leases of a license that your workspace issued.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
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
