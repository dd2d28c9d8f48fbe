package licenses

import (
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// PolicyResult is a license policy after a change.
type PolicyResult struct {
	Policy view.LicensePolicy `json:"policy" doc:"The policy after the change."`
}

// TermsParams are terms in parameters; what is absent is as licenses without a policy have
// it.
type TermsParams struct {
	DurationDays     int                      `json:"duration_days,omitzero" doc:"Days a license is valid. Defaults to 0, which never expires." jsonschema:"minimum=0,maximum=36500,example=365"`
	Seats            int                      `json:"seats,omitzero" doc:"Maximum number of seats. Defaults to 0, which is unlimited." jsonschema:"minimum=0,maximum=1000000,example=5"`
	MaxMachines      int                      `json:"max_machines,omitzero" doc:"Maximum number of machines active at once. Defaults to 0, which is unlimited." jsonschema:"minimum=0,maximum=100000,example=3"`
	MachineBound     bool                     `json:"machine_bound,omitzero" doc:"Whether a license is valid only on activated machines."`
	Floating         bool                     `json:"floating,omitzero" doc:"Whether seats are floating, which means leased for a limited time, instead of assigned to named users."`
	OfflineDays      int                      `json:"offline_days,omitzero" doc:"Days an offline license file stays valid. Defaults to 0, which disallows offline files." jsonschema:"minimum=0,maximum=730,example=14"`
	HeartbeatMinutes int                      `json:"heartbeat_minutes,omitzero" doc:"Minutes without a heartbeat after which a machine lapses and frees its activation. Defaults to 0, which is never." jsonschema:"minimum=0,maximum=525600,example=60"`
	Features         feature.Values           `json:"features,omitzero" doc:"Feature values that a license grants, by feature key: booleans, integers or strings."`
	Meters           map[string]license.Meter `json:"meters,omitzero" doc:"Metered usage, by meter name. At most 20 meters."`
	OnExpiry         license.Expiry           `json:"on_expiry,omitzero" doc:"Behavior after a license expires: deny makes it invalid, grace keeps it valid for grace_days, allow keeps it valid. Defaults to deny." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        int                      `json:"grace_days,omitzero" doc:"Days a license stays valid after it expires, if on_expiry is grace." jsonschema:"minimum=0,maximum=365,example=0"`
	Starts           license.Start            `json:"starts,omitzero" doc:"When the duration starts: when the license is issued, or when its first machine is activated. Defaults to issue." jsonschema:"enum=issue,enum=activation"`
	TransfersPerYear *int                     `json:"transfers_per_year,omitzero" doc:"Transfers from one machine to another per year. Defaults to 12." jsonschema:"minimum=0,maximum=1000,example=12"`
	Overage          license.Overage          `json:"overage,omitzero" doc:"How far machines and seats may exceed their limits: by a factor, or without limit. Defaults to none." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
}

func (p TermsParams) terms() license.Terms {
	t := license.Plain()
	t.DurationDays, t.Seats, t.MaxMachines, t.MachineBound, t.Floating = p.DurationDays, p.Seats, p.MaxMachines, p.MachineBound, p.Floating
	t.OfflineDays, t.HeartbeatMinutes, t.Features, t.Meters, t.GraceDays = p.OfflineDays, p.HeartbeatMinutes, p.Features, p.Meters, p.GraceDays
	if p.OnExpiry != "" {
		t.OnExpiry = p.OnExpiry
	}
	if p.Starts != "" {
		t.Starts = p.Starts
	}
	if p.TransfersPerYear != nil {
		t.TransfersPerYear = *p.TransfersPerYear
	}
	if p.Overage != "" {
		t.Overage = p.Overage
	}
	return t
}

// PolicyCreateParams are the parameters of LICENSE.POLICY_CREATE.
type PolicyCreateParams struct {
	Name      workspace.Label `json:"name" doc:"Display name of the policy."`
	ProductID product.Ref     `json:"product_id,omitzero" doc:"Product the policy is for, given by ID or slug. Omit to allow any product of the workspace."`
	TermsParams
}
