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
	Policy view.LicensePolicy `json:"policy" doc:"The policy as it stands."`
}

// TermsParams are terms in parameters; what is absent is as licenses without a policy have
// it.
type TermsParams struct {
	DurationDays     int                      `json:"duration_days,omitzero" doc:"Days that a license holds; 0, when absent: for ever." jsonschema:"minimum=0,maximum=36500,example=365"`
	Seats            int                      `json:"seats,omitzero" doc:"Seats that may be taken; 0, when absent: any number." jsonschema:"minimum=0,maximum=1000000,example=5"`
	MaxMachines      int                      `json:"max_machines,omitzero" doc:"Machines that may be active at once; 0, when absent: any number." jsonschema:"minimum=0,maximum=100000,example=3"`
	MachineBound     bool                     `json:"machine_bound,omitzero" doc:"Whether a license is valid on activated machines alone."`
	Floating         bool                     `json:"floating,omitzero" doc:"Whether seats are leased for a while, and not given by name."`
	OfflineDays      int                      `json:"offline_days,omitzero" doc:"Days that a license file holds; 0, when absent: there are none." jsonschema:"minimum=0,maximum=730,example=14"`
	HeartbeatMinutes int                      `json:"heartbeat_minutes,omitzero" doc:"Minutes after which a silent machine lapses and frees its place; 0, when absent: none does." jsonschema:"minimum=0,maximum=525600,example=60"`
	Features         feature.Values           `json:"features,omitzero" doc:"What a license gives, by feature: true or false, whole numbers or texts."`
	Meters           map[string]license.Meter `json:"meters,omitzero" doc:"Uses that are counted, by the name of the meter; at most 20."`
	OnExpiry         license.Expiry           `json:"on_expiry,omitzero" doc:"What follows the last day: the end, when absent, days of grace, or nothing." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        int                      `json:"grace_days,omitzero" doc:"Days of grace." jsonschema:"minimum=0,maximum=365,example=0"`
	Starts           license.Start            `json:"starts,omitzero" doc:"When the days begin: at issue, when absent, or when the first machine is activated." jsonschema:"enum=issue,enum=activation"`
	TransfersPerYear *int                     `json:"transfers_per_year,omitzero" doc:"Moves from one machine to another in a year; absent: 12." jsonschema:"minimum=0,maximum=1000,example=12"`
	Overage          license.Overage          `json:"overage,omitzero" doc:"By how much machines and seats may exceed their limit; absent: none." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
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
	Name      workspace.Label `json:"name" doc:"Name to show."`
	ProductID product.Ref     `json:"product_id,omitzero" doc:"The product that it is for, by its identifier or slug; absent: any of the workspace."`
	TermsParams
}
