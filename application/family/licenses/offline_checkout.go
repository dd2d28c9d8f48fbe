package licenses

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
)

// CheckoutParams are the parameters of LICENSE.OFFLINE_CHECKOUT.
type CheckoutParams struct {
	Key       string              `json:"key,omitzero" doc:"License key. Provide either key or license_id." jsonschema:"maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	LicenseID license.ID          `json:"license_id,omitzero" doc:"ID of the license, instead of its key. Requires that you own the license, or hold licenses:write in the workspace that issued it." example:"-"`
	Machine   license.Fingerprint `json:"machine" doc:"Fingerprint of the machine the file is for. You can copy it by hand from a machine without a network."`
	Days      int                 `json:"days,omitzero" doc:"Days the file stays valid. Defaults to offline_days of the license, which is also the maximum." jsonschema:"minimum=1,maximum=730,example=7"`
}

// CheckoutResult is the result of LICENSE.OFFLINE_CHECKOUT.
type CheckoutResult struct {
	Code        license.Code    `json:"code" doc:"Outcome: valid, or the reason why no file is issued." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=expired,enum=too_many_machines,enum=no_seats,enum=valid"`
	OfflineFile secret.Shown    `json:"offline_file,omitzero" doc:"The license file, a compact JWS. Verify it with the EdDSA key of the JWKS, then check typ (license+jwt), iss, aud, exp and machine."`
	SmallFile   secret.Shown    `json:"qr_file,omitzero" doc:"The same file without features and meters, small enough for a QR code."`
	ExpiresAt   *time.Time      `json:"expires_at,omitzero" doc:"Time at which the file expires. The machine may lose its activation then."`
	Notice      string          `json:"notice,omitzero" doc:"Reminder that the file stays valid until it expires and cannot be revoked."`
	Machines    []ActiveMachine `json:"machines,omitzero" doc:"Active machines when the limit is reached, newest first. At most 100."`
}

// notice is what whoever takes a file should know.
const notice = "The file stays valid until expires_at. It cannot be revoked, whatever happens to the license."

func (s *Service) offlineCheckout() command.Definition {
	return command.Define(command.Spec[CheckoutParams, CheckoutResult]{
		Name:        "LICENSE.OFFLINE_CHECKOUT",
		Summary:     "Activate a machine and issue an offline license file for it.",
		Description: checkoutDescription,
		Access:      access.Optional(),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindCheckedOut, license.KindActivated, license.KindLeaseAcquired},
		Limits:      asked(),
		Subject:     func(_ context.Context, p CheckoutParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, call command.Call, p CheckoutParams) (CheckoutResult, error) {
			if (p.Key == "") == (p.LicenseID == "") {
				return CheckoutResult{}, errWhich
			}
			var held license.Snapshot
			var until time.Time
			came, err := s.of(ctx, call.Caller, p, func(tx Repos, l *license.License) (came seat, err error) {
				came, until, err = s.checkOut(ctx, tx, l, p)
				held = l.Snapshot()
				return came, err
			})
			if err != nil || came.code != license.Valid {
				return s.noFile(ctx, came, err)
			}
			return s.checkedOut(ctx, held, p.Machine, until)
		},
	})
}

// of does something with a license by its key, or by its identifier for who manages it.
func (s *Service) of(ctx context.Context, caller access.Caller, p CheckoutParams, do func(tx Repos, l *license.License) (seat, error)) (came seat, err error) {
	if p.Key != "" {
		return s.byKey(ctx, p.Key, do)
	}
	if err := access.Anybody().Scoped(writing).Check(caller); err != nil {
		return seat{}, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		found, err := tx.managed(ctx, caller, p.LicenseID)
		if err != nil {
			return err
		}
		if code := found.Snapshot().Refusal(s.now()); code != "" {
			came = seat{code: code}
			return nil
		}
		came, err = do(tx, found)
		came.id = found.Snapshot().ID
		return err
	})
	return came, err
}

// checkOut takes a place of a license that is held until a file ends, and a floating seat.
// It fails with license.ErrNoFiles, and with errRefused where there is no seat.
func (s *Service) checkOut(ctx context.Context, tx Repos, l *license.License, p CheckoutParams) (seat, time.Time, error) {
	if l.Snapshot().Terms.OfflineDays == 0 {
		return seat{}, time.Time{}, license.ErrNoFiles
	}
	id := license.NewMachineID(s.IDs)
	came, err := s.place(ctx, tx, l, p.Machine, func() (*license.Machine, error) {
		return license.Activate(l.Snapshot(), license.MachineSnapshot{ID: id, Fingerprint: p.Machine}, s.now())
	})
	if err != nil || came.code != license.Valid {
		return came, time.Time{}, err
	}
	of := l.Snapshot()
	until := of.FileUntil(p.Days, s.now())
	if of.Terms.Floating {
		minutes := int(until.Sub(s.now()).Minutes()) + 1
		leased, err := s.lease(ctx, tx, of, license.LeaseSnapshot{ID: license.NewLeaseID(s.IDs), Machine: p.Machine, Minutes: minutes})
		if err == nil && leased.Code != license.Valid {
			err = errRefused
		}
		if err != nil {
			return seat{code: leased.Code}, until, err
		}
	}
	on, err := tx.Machines.ByFingerprint(ctx, of.ID, p.Machine)
	if err != nil {
		return seat{}, until, err
	}
	on.CheckOut(of, until)
	return came, until, tx.Machines.Save(ctx, on)
}

// noFile returns the answer where there is no file.
func (s *Service) noFile(ctx context.Context, came seat, err error) (CheckoutResult, error) {
	if err != nil && !errors.Is(err, errRefused) {
		return CheckoutResult{}, err
	}
	taken, err := s.places(ctx, came)
	return CheckoutResult{Code: came.code, Machines: taken}, err
}

// checkedOut signs the file of a machine that has its place.
func (s *Service) checkedOut(ctx context.Context, of license.Snapshot, machine license.Fingerprint, until time.Time) (CheckoutResult, error) {
	sold, err := s.Products.Find(ctx, product.Ref(of.ProductID))
	if err != nil {
		return CheckoutResult{}, err
	}
	says, err := s.says(ctx, license.State{License: of, Product: sold.Slug, Sold: sold.Features, Moved: true}, machine, until)
	if err != nil {
		return CheckoutResult{}, err
	}
	result := CheckoutResult{Code: license.Valid, ExpiresAt: &until, Notice: notice}
	if result.OfflineFile, err = s.signed(ctx, says); err != nil {
		return CheckoutResult{}, err
	}
	result.SmallFile, err = s.signed(ctx, says.Small())
	return result, err
}
