package licences

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/licensing"
)

// mostMachines bounds how many machines are shown with a licence.
const mostMachines = 100

var errWhich = fault.New(fault.Validation, "license_id or key must say which licence")

// GetParams are the parameters of LICENSE.GET.
type GetParams struct {
	LicenseID licence.ID `json:"license_id,omitzero" doc:"The licence."`
	Key       string     `json:"key,omitzero" doc:"The licence by its key, in place of license_id." jsonschema:"maxLength=100" example:"-"`
}

// GetResult is the result of LICENSE.GET.
type GetResult struct {
	License  view.License   `json:"license" doc:"The licence."`
	Key      secret.Shown   `json:"key,omitzero" doc:"Its key, for those with licenses:write in the workspace that issued it, where ENCRYPTION_KEY is set."`
	Machines []view.Machine `json:"machines" doc:"Its machines, newest first, at most 100; LICENSE.MACHINE_LIST pages through all."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "LICENSE.GET",
		Summary: "One licence with its machines: the caller's own, or any of the workspace with licenses:read.",
		Access:  access.Anybody(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.find(ctx, p)
			if err == nil && !manages(call.Caller, found, reading) {
				err = licence.ErrNotFound
			}
			if err != nil {
				return GetResult{}, err
			}
			result := GetResult{License: s.shown(call.Caller, found), Machines: []view.Machine{}}
			machines, err := s.Machines.List(ctx, licensing.MachineQuery{Licence: found.ID, Limit: mostMachines})
			if err != nil {
				return GetResult{}, err
			}
			for _, one := range machines {
				result.Machines = append(result.Machines, view.OfMachine(one, s.now()))
			}
			if call.Caller.Sees(found.OrgID) && call.Caller.May(writing) {
				result.Key, err = s.Licences.Key(ctx, found.ID)
			}
			return result, err
		},
	})
}

// find reads a licence by its identifier or key.
func (s *Service) find(ctx context.Context, p GetParams) (licence.Snapshot, error) {
	if (p.LicenseID == "") == (p.Key == "") {
		return licence.Snapshot{}, errWhich
	}
	if p.Key == "" {
		return s.Licences.Find(ctx, p.LicenseID)
	}
	canonical, ok := licence.ReadKey(p.Key)
	if !ok {
		return licence.Snapshot{}, licence.ErrNotFound
	}
	standing, err := s.Licences.Standing(ctx, canonical, "", s.now())
	return standing.Licence, err
}
