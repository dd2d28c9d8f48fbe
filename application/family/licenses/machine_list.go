package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
)

// MachineListParams are the parameters of LICENSE.MACHINE_LIST.
type MachineListParams struct {
	LicenseID license.ID `json:"license_id" doc:"ID of the license."`
	Status    string     `json:"status,omitzero" doc:"Only active machines, or only machines that lapsed because they sent no heartbeat in time." jsonschema:"enum=active,enum=lapsed" example:"-"`
	page.Params
}

func (s *Service) machineList() command.Definition {
	return command.Define(command.Spec[MachineListParams, page.Of[view.Machine]]{
		Name:    "LICENSE.MACHINE_LIST",
		Summary: "List the machines of a license, newest first.",
		Description: "The license must be owned by you or your workspace. With `licenses:read`, you can also list machines of licenses that the " +
			"workspace issued.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p MachineListParams) (page.Of[view.Machine], error) {
			of, err := s.readable(ctx, call.Caller, p.LicenseID)
			if err != nil {
				return page.Of[view.Machine]{}, err
			}
			query := licensing.MachineQuery{License: of.ID, Now: s.now()}
			if p.Status != "" {
				lapsed := p.Status == "lapsed"
				query.Lapsed = &lapsed
			}
			list := s.Cursors.List("LICENSE.MACHINE_LIST|"+of.ID.String()+"|"+p.Status, p.Params)
			return page.Read(list, func(one license.MachineSnapshot) string { return one.ID.String() },
				func(one license.MachineSnapshot) view.Machine { return view.OfMachine(one, s.now()) },
				func(before string, most int) ([]license.MachineSnapshot, error) {
					query.Before, query.Limit = license.MachineID(before), most
					return s.Machines.List(ctx, query)
				})
		},
	})
}
