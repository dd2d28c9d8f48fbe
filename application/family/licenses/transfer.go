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

var errSameMachine = fault.Unfit("/to_machine", "must differ from from_machine")

// TransferParams are the parameters of LICENSE.TRANSFER.
type TransferParams struct {
	LicenseID   license.ID          `json:"license_id" doc:"ID of the license. It must be your own, or issued by a workspace in which you hold licenses:write."`
	FromMachine license.Fingerprint `json:"from_machine" doc:"Fingerprint of the machine to deactivate. A machine that is not activated frees nothing."`
	ToMachine   license.Fingerprint `json:"to_machine" doc:"Fingerprint of the machine to activate. It may already be activated." jsonschema:"example=C84E2F31-77B0-4D5A-9B1E-02A6D7F3C9E8"`
}

func (s *Service) transfer() command.Definition {
	return command.Define(command.Spec[TransferParams, Result]{
		Name:    "LICENSE.TRANSFER",
		Summary: "Transfer a license from one machine to another.",
		Description: "Deactivates the first machine and activates the second in one step. Each transfer counts toward `transfers_per_year` of the " +
			"license.\n\n" +
			"The leases of the first machine end. Its offline license file stays valid until it expires.\n" +
			"License files issued after the transfer list the first machine and when its file expires.\n\n" +
			"Call it as the owner of the license, or with `licenses:write` in the workspace that issued it.",
		Access:      access.Anybody().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindTransferred, license.KindActivated, license.KindDeactivated},
		Handle: func(ctx context.Context, call command.Call, p TransferParams) (result Result, err error) {
			fresh, id := license.NewMachineID(s.IDs), license.NewTransferID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				of, err := tx.managed(ctx, call.Caller, p.LicenseID)
				if err == nil && p.FromMachine == p.ToMachine {
					err = errSameMachine
				}
				if err != nil {
					return err
				}
				done := license.Transfer{ID: id, LicenseID: p.LicenseID, From: p.FromMachine}
				if err := s.move(ctx, tx, of, done, license.MachineSnapshot{ID: fresh, Fingerprint: p.ToMachine}); err != nil {
					return err
				}
				result.License = s.shown(call.Caller, of.Snapshot())
				return nil
			})
			return result, err
		},
	})
}

// move frees the place of one machine and takes one for another. It fails with
// license.ErrNotHeld, license.ErrTransfers and license.ErrPlaces.
func (s *Service) move(ctx context.Context, tx Repos, l *license.License, done license.Transfer, to license.MachineSnapshot) error {
	of := l.Snapshot()
	if of.Refusal(s.now()) != "" {
		return license.ErrNotHeld
	}
	var left license.MachineID
	gone, err := tx.Machines.ByFingerprint(ctx, of.ID, done.From)
	switch {
	case err == nil:
		left, done.FileUntil = gone.Snapshot().ID, of.FileUntil(0, s.now()) // no file of it can hold longer
		err = tx.free(ctx, of, gone)
	case errors.Is(err, license.ErrNoMachine):
		if arrived, err := tx.Machines.ByFingerprint(ctx, of.ID, to.Fingerprint); err == nil && arrived.Snapshot().Alive(s.now()) {
			return nil // it was moved before
		}
		err = tx.Transfers.Refill(ctx, of.ID)
	}
	if err == nil {
		err = s.moved(ctx, tx, of, done)
	}
	if err != nil {
		return err
	}
	if _, err := tx.Transfers.Return(ctx, of.ID, to.Fingerprint, s.now()); err != nil {
		return err
	}
	taken, err := s.place(ctx, tx, l, to.Fingerprint, func() (*license.Machine, error) {
		return license.Activate(of, to, s.now())
	})
	if err == nil && taken.code != license.Valid {
		err = license.ErrPlaces
	}
	if err != nil {
		return err
	}
	return tx.Events.Record(ctx, license.Moved(of, taken.machine.ID, left))
}

// moved counts a transfer. It fails with license.ErrTransfers.
func (s *Service) moved(ctx context.Context, tx Repos, of license.Snapshot, t license.Transfer) error {
	t.MovedAt = s.now()
	count, err := tx.Transfers.Since(ctx, of.ID, t.MovedAt.Add(-license.TransferYear))
	if err == nil && !of.Terms.MayMove(count) {
		err = license.ErrTransfers
	}
	if err != nil {
		return err
	}
	return tx.Transfers.Add(ctx, t)
}

// admit reports whether a machine that was never activated may take a place of a license
// where so many are taken. A place that another one gave up by key within a month takes a
// transfer.
func (s *Service) admit(ctx context.Context, tx Repos, of license.Snapshot, machine license.Fingerprint, there int) (bool, error) {
	back, err := tx.Transfers.Return(ctx, of.ID, machine, s.now())
	if most := of.Terms.MostMachines(); err != nil || back || most < 0 {
		return err == nil, err
	}
	vacant, err := tx.Transfers.Vacant(ctx, of.ID, s.now())
	if err != nil || vacant == 0 || license.Room(there+vacant, of.Terms.MostMachines()) {
		return err == nil, err
	}
	err = s.moved(ctx, tx, of, license.Transfer{ID: license.NewTransferID(s.IDs), LicenseID: of.ID})
	if errors.Is(err, license.ErrTransfers) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, tx.Transfers.Refill(ctx, of.ID)
}
