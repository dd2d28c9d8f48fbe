package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/licensing"
)

// mostMachines bounds how many machines and seats are shown with a license.
const mostMachines = 100

var errWhich = fault.New(fault.Validation, "provide either license_id or key, not both")

// GetParams are the parameters of LICENSE.GET.
type GetParams struct {
	LicenseID license.ID `json:"license_id,omitzero" doc:"ID of the license. Provide either license_id or key."`
	Key       string     `json:"key,omitzero" doc:"Key of the license. Provide either license_id or key." jsonschema:"maxLength=100" example:"-"`
}

// GetResult is the result of LICENSE.GET.
type GetResult struct {
	License  view.License   `json:"license" doc:"The license."`
	Key      secret.Shown   `json:"key,omitzero" doc:"License key. Returned only if you hold licenses:write in the workspace that issued the license and ENCRYPTION_KEY is set."`
	Machines []view.Machine `json:"machines" doc:"Machines of the license, newest first. At most 100; use LICENSE.MACHINE_LIST for all."`
	Seats    []view.Seat    `json:"seats" doc:"Named seats of the license, newest first. At most 100; use LICENSE.SEAT_LIST for all."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "LICENSE.GET",
		Summary: "Retrieve a license with its machines and seats.",
		Description: "You can retrieve a license that you or your workspace own. With `licenses:read`, you can also retrieve any license that the " +
			"workspace issued.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.find(ctx, p)
			if err == nil && !manages(call.Caller, found, reading) {
				err = license.ErrNotFound
			}
			if err != nil {
				return GetResult{}, err
			}
			result := GetResult{License: s.shown(call.Caller, found)}
			if result.Machines, result.Seats, err = s.taken(ctx, found.ID); err != nil {
				return GetResult{}, err
			}
			if call.Caller.Sees(found.OrgID) && call.Caller.May(writing) {
				result.Key, err = s.Licenses.Key(ctx, found.ID)
			}
			return result, err
		},
	})
}

// taken lists the machines and named seats of a license.
func (s *Service) taken(ctx context.Context, of license.ID) ([]view.Machine, []view.Seat, error) {
	machines, seats := []view.Machine{}, []view.Seat{}
	on, err := s.Machines.List(ctx, licensing.MachineQuery{License: of, Limit: mostMachines})
	if err != nil {
		return nil, nil, err
	}
	for _, one := range on {
		machines = append(machines, view.OfMachine(one, s.now()))
	}
	given, err := s.Seats.List(ctx, of, "", mostMachines)
	for _, one := range given {
		seats = append(seats, view.OfSeat(one))
	}
	return machines, seats, err
}

// find reads a license by its identifier or key.
func (s *Service) find(ctx context.Context, p GetParams) (license.Snapshot, error) {
	if (p.LicenseID == "") == (p.Key == "") {
		return license.Snapshot{}, errWhich
	}
	if p.Key == "" {
		return s.Licenses.Find(ctx, p.LicenseID)
	}
	canonical, ok := license.ReadKey(p.Key)
	if !ok {
		return license.Snapshot{}, license.ErrNotFound
	}
	standing, err := s.Licenses.Standing(ctx, canonical, "", s.now())
	return standing.License, err
}
