package licenses

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
)

var errWhichMachine = fault.New(fault.Validation, "provide either machine_id, or key and machine")

// DeactivateParams are the parameters of LICENSE.MACHINE_DEACTIVATE.
type DeactivateParams struct {
	Key       string              `json:"key,omitzero" doc:"License key. Required together with machine." jsonschema:"maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine   license.Fingerprint `json:"machine,omitzero" doc:"Fingerprint of the machine. Required together with key."`
	MachineID license.MachineID   `json:"machine_id,omitzero" doc:"ID of the machine, instead of key and machine. Requires that you own the license, or hold licenses:write in the workspace that issued it." example:"-"`
}

// DeactivateResult is the result of LICENSE.MACHINE_DEACTIVATE.
type DeactivateResult struct {
	Deactivated bool `json:"deactivated" doc:"Whether the machine was deactivated. With key, false if the key or machine is unknown, or while an offline license file of the machine is valid."`
}

func (s *Service) machineDeactivate() command.Definition {
	return command.Define(command.Spec[DeactivateParams, DeactivateResult]{
		Name:    "LICENSE.MACHINE_DEACTIVATE",
		Summary: "Deactivate a machine and free its activation.",
		Description: "Identify the machine in one of two ways:\n\n" +
			"- `key` and `machine`: needs no sign-in, so your program can call it.\n" +
			"- `machine_id`: for the owner of the license, or with `licenses:write` in the workspace that issued it.\n\n" +
			"The leases of the machine end. While an offline license file of the machine is valid, only holders of `licenses:write` can " +
			"deactivate it, by ID.",
		Access:      access.Optional(),
		InWorkspace: true,
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{license.KindDeactivated},
		Limits:      asked(),
		Subject:     func(_ context.Context, p DeactivateParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, call command.Call, p DeactivateParams) (DeactivateResult, error) {
			byKey := p.Key != "" && p.Machine != ""
			if byID := p.MachineID != ""; byID == (p.Key != "" || p.Machine != "") || byID == byKey {
				return DeactivateResult{}, errWhichMachine
			}
			if !byKey {
				if err := access.Anybody().Scoped(writing).Check(call.Caller); err != nil {
					return DeactivateResult{}, err
				}
			}
			did := false
			err := s.Unit.Do(ctx, func(tx Repos) error {
				var err error
				if byKey {
					did, err = s.freedByKey(ctx, tx, p)
				} else {
					did, err = true, s.freedByID(ctx, tx, call.Caller, p.MachineID)
				}
				return err
			})
			return DeactivateResult{Deactivated: did}, err
		},
	})
}

// freedByKey frees the place of a machine, and reports whether it had one.
func (s *Service) freedByKey(ctx context.Context, tx Repos, p DeactivateParams) (bool, error) {
	canonical, ok := license.ReadKey(p.Key)
	if !ok {
		return false, nil
	}
	of, err := tx.Licenses.ByKey(ctx, canonical, s.now())
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	gone, err := tx.Machines.ByFingerprint(ctx, of.Snapshot().ID, p.Machine)
	if errors.Is(err, license.ErrNoMachine) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if gone.Snapshot().Offline(s.now()) {
		return false, nil
	}
	if err := tx.Transfers.Vacate(ctx, of.Snapshot().ID, p.Machine, s.now().Add(license.VacancyKept)); err != nil {
		return false, err
	}
	return true, tx.free(ctx, of.Snapshot(), gone)
}

// freedByID frees the place of a machine of a license that a caller manages. It fails with
// license.ErrNoMachine and license.ErrOffline.
func (s *Service) freedByID(ctx context.Context, tx Repos, caller access.Caller, id license.MachineID) error {
	gone, err := tx.Machines.ByID(ctx, id)
	if err != nil {
		return err
	}
	of, err := tx.Licenses.ByID(ctx, gone.Snapshot().LicenseID)
	if absent(err) || err == nil && !manages(caller, of.Snapshot(), writing) {
		return license.ErrNoMachine
	}
	if err != nil {
		return err
	}
	if issues := caller.Sees(of.Snapshot().OrgID) && caller.May(writing); !issues && gone.Snapshot().Offline(s.now()) {
		return license.ErrOffline
	}
	return tx.free(ctx, of.Snapshot(), gone)
}

// free removes a machine with its leases.
func (tx Repos) free(ctx context.Context, of license.Snapshot, gone *license.Machine) error {
	if err := tx.Leases.End(ctx, of.ID, gone.Snapshot().Fingerprint); err != nil {
		return err
	}
	gone.Deactivate(of)
	return tx.Machines.Delete(ctx, gone)
}
