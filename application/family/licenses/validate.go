package licenses

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
)

// ValidateParams are the parameters of LICENSE.VALIDATE.
type ValidateParams struct {
	Key       string              `json:"key" doc:"License key. Case, hyphens and look-alike characters do not matter." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine   license.Fingerprint `json:"machine,omitzero" doc:"Fingerprint of this machine. Required if the license is bound to machines: without it, the code is machine_mismatch. Optional for other licenses."`
	ProductID product.Ref         `json:"product_id,omitzero" doc:"ID or slug of the product that validates the license. A key for another product yields product_mismatch." example:"-"`
	Features  []feature.Key       `json:"features,omitzero" doc:"Keys of features that the license must grant." jsonschema:"maxItems=50" example:"-"`
}

// ValidateResult is the result of LICENSE.VALIDATE.
type ValidateResult struct {
	Valid       bool          `json:"valid" doc:"Whether your program may run."`
	Code        license.Code  `json:"code" doc:"Outcome of the validation: the first code that applies, in the order of this list." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=product_mismatch,enum=not_started,enum=expired,enum=machine_mismatch,enum=too_many_machines,enum=heartbeat_lapsed,enum=no_seats,enum=meter_exceeded,enum=feature_missing,enum=grace,enum=valid"`
	License     *view.License `json:"license" doc:"The license, including the features that its product grants. Null for an unknown key."`
	OfflineFile secret.Shown  `json:"offline_file,omitzero" doc:"Offline license file for the given machine. Present if the license is valid and has offline_days. If the license is bound to machines or floating, only a machine with a file from LICENSE.OFFLINE_CHECKOUT gets one, which expires with that file."`
}

func (s *Service) validate() command.Definition {
	return command.Define(command.Spec[ValidateParams, ValidateResult]{
		Name:    "LICENSE.VALIDATE",
		Summary: "Validate a license key.",
		Description: "Call this command from your program; it needs no sign-in. An invalid key is not an error: `valid` is false, and `code` gives " +
			"the reason.\n\n" +
			"The validation is recorded, at most once a minute.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Emits:   []event.Kind{license.KindValidated, license.KindFailed},
		Limits:  asked(),
		Subject: func(_ context.Context, p ValidateParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p ValidateParams) (ValidateResult, error) {
			unknown := ValidateResult{Code: license.Unknown}
			canonical, ok := license.ReadKey(p.Key)
			if !ok {
				return unknown, nil
			}
			standing, err := s.Licenses.Standing(ctx, canonical, string(p.Machine), s.now())
			if absent(err) {
				return unknown, nil
			}
			if err != nil {
				return unknown, err
			}
			code := license.Judge(standing, license.ValidationRequest{Machine: p.Machine != "", Product: p.ProductID, Features: p.Features}, s.now())
			shown := s.shown(access.Caller{}, standing.License.Giving(standing.Sold))
			result := ValidateResult{Valid: code.Holds(), Code: code, License: &shown}
			if code.Holds() {
				result.OfflineFile, err = s.file(ctx, standing, p.Machine)
			}
			return result, errors.Join(err, s.note(ctx, standing, code))
		},
	})
}
