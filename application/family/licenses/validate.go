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
	Key       string              `json:"key" doc:"The key, as people write it: without regard to case, hyphens and look-alikes." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine   license.Fingerprint `json:"machine,omitzero" doc:"Fingerprint of this machine. A license that is bound to machines needs it: without one the code is machine_mismatch. Any other license is judged without it."`
	ProductID product.Ref         `json:"product_id,omitzero" doc:"The product that asks, by its identifier or slug: a key of another one is a product_mismatch." example:"-"`
	Features  []feature.Key       `json:"features,omitzero" doc:"Features that the license must give." jsonschema:"maxItems=50" example:"-"`
}

// ValidateResult is the result of LICENSE.VALIDATE.
type ValidateResult struct {
	Valid       bool          `json:"valid" doc:"Whether the program may run."`
	Code        license.Code  `json:"code" doc:"Why, or why not: the first that applies, in the order of the list." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=product_mismatch,enum=not_started,enum=expired,enum=machine_mismatch,enum=too_many_machines,enum=heartbeat_lapsed,enum=no_seats,enum=meter_exceeded,enum=feature_missing,enum=grace,enum=valid"`
	License     *view.License `json:"license" doc:"The license, with the features that its product gives too; null for an unknown key."`
	OfflineFile secret.Shown  `json:"offline_file,omitzero" doc:"A file that holds without network, for the machine that was named, where the license is valid and has offline_days. If it is bound to machines or floating, only a machine with a file from LICENSE.OFFLINE_CHECKOUT has one, which ends with that file."`
}

func (s *Service) validate() command.Definition {
	return command.Define(command.Spec[ValidateParams, ValidateResult]{
		Name: "LICENSE.VALIDATE",
		Summary: "Say whether a license is valid, by its key. A wrong key is no error: code says what is the matter. " +
			"That it was seen is written once a minute.",
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
			code := license.Judge(standing, license.Ask{Machine: p.Machine != "", Product: p.ProductID, Features: p.Features}, s.now())
			shown := s.shown(access.Caller{}, standing.License.Giving(standing.Sold))
			result := ValidateResult{Valid: code.Holds(), Code: code, License: &shown}
			if code.Holds() {
				result.OfflineFile, err = s.file(ctx, standing, p.Machine)
			}
			return result, errors.Join(err, s.note(ctx, standing, code))
		},
	})
}
