package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// ActivateParams are the parameters of LICENSE.MACHINE_ACTIVATE.
type ActivateParams struct {
	Key      string              `json:"key" doc:"The key." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine  license.Fingerprint `json:"machine" doc:"What tells this machine from others."`
	Name     string              `json:"name,omitzero" doc:"Name for people to know it by." jsonschema:"maxLength=100"`
	Platform string              `json:"platform,omitzero" doc:"What it runs." jsonschema:"maxLength=100,example=linux/amd64"`
	Metadata map[string]any      `json:"metadata_json,omitzero" doc:"The program's own data, at most 16 KiB and 8 levels deep."`
}

// ActivateResult is the result of LICENSE.MACHINE_ACTIVATE.
type ActivateResult struct {
	Code     license.Code  `json:"code" doc:"valid, or why the machine has no place." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=expired,enum=too_many_machines,enum=valid"`
	Machine  *view.Machine `json:"machine,omitzero" doc:"The machine, once it has a place."`
	License  *view.License `json:"license,omitzero" doc:"The license, with the features that its product gives too, once the machine has a place."`
	Machines []Place       `json:"machines,omitzero" doc:"Who has the places where none is free, newest first, at most 100: free one of them (LICENSE.MACHINE_DEACTIVATE)."`
}

func (s *Service) machineActivate() command.Definition {
	return command.Define(command.Spec[ActivateParams, ActivateResult]{
		Name:    "LICENSE.MACHINE_ACTIVATE",
		Summary: "Give a machine a place of a license, by its key. One that has a place keeps it; where none is free, code says so, and machines who has them.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindActivated},
		Limits:  asked(),
		Subject: func(_ context.Context, p ActivateParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p ActivateParams) (ActivateResult, error) {
			id := license.NewMachineID(s.IDs)
			came, err := s.byKey(ctx, p.Key, func(tx Repos, l *license.License) (seat, error) {
				return s.place(ctx, tx, l, p.Machine, func() (*license.Machine, error) {
					return license.Activate(l.Snapshot(), license.MachineSnapshot{
						ID: id, Fingerprint: p.Machine, Name: p.Name, Platform: p.Platform, Metadata: p.Metadata,
					}, s.now())
				})
			})
			if err != nil {
				return ActivateResult{}, err
			}
			taken, err := s.places(ctx, came)
			if err == nil && came.license != nil {
				err = s.give(ctx, came.license)
			}
			return ActivateResult{Code: came.code, Machine: came.machine, License: came.license, Machines: taken}, err
		},
	})
}
