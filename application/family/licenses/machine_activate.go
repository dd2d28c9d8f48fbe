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
	Key      string              `json:"key" doc:"License key." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine  license.Fingerprint `json:"machine" doc:"Fingerprint that identifies this machine. Compared exactly."`
	Name     string              `json:"name,omitzero" doc:"Display name of the machine." jsonschema:"maxLength=100"`
	Platform string              `json:"platform,omitzero" doc:"Platform of the machine." jsonschema:"maxLength=100,example=linux/amd64"`
	Metadata map[string]any      `json:"metadata_json,omitzero" doc:"Your program's own data. At most 16 KiB and 8 levels deep."`
}

// ActivateResult is the result of LICENSE.MACHINE_ACTIVATE.
type ActivateResult struct {
	Code     license.Code    `json:"code" doc:"Outcome: valid, or the reason why the machine is not activated." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=expired,enum=too_many_machines,enum=valid"`
	Machine  *view.Machine   `json:"machine,omitzero" doc:"The activated machine. Present if the activation succeeded."`
	License  *view.License   `json:"license,omitzero" doc:"The license, including the features that its product grants. Present if the activation succeeded."`
	Machines []ActiveMachine `json:"machines,omitzero" doc:"Active machines when the limit is reached, newest first. At most 100. Free one with LICENSE.MACHINE_DEACTIVATE."`
}

func (s *Service) machineActivate() command.Definition {
	return command.Define(command.Spec[ActivateParams, ActivateResult]{
		Name:    "LICENSE.MACHINE_ACTIVATE",
		Summary: "Activate a license on a machine.",
		Description: "Call this command from your program with the license key; it needs no sign-in.\n\n" +
			"A machine that is already active stays active. If the license has no free activation, `code` is `too_many_machines`\n" +
			"and `machines` lists the active machines.",
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
