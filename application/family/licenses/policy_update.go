package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// PolicyChanges are terms to change, and the name; what is absent stays.
type PolicyChanges struct {
	Name             workspace.Label          `json:"name,omitzero" doc:"Display name of the policy."`
	DurationDays     *int                     `json:"duration_days,omitzero" doc:"Days a license is valid. Use 0 for licenses that never expire." jsonschema:"minimum=0,maximum=36500,example=365"`
	Seats            *int                     `json:"seats,omitzero" doc:"Maximum number of seats. Use 0 for unlimited." jsonschema:"minimum=0,maximum=1000000,example=5"`
	MaxMachines      *int                     `json:"max_machines,omitzero" doc:"Maximum number of machines active at once. Use 0 for unlimited." jsonschema:"minimum=0,maximum=100000,example=3"`
	MachineBound     *bool                    `json:"machine_bound,omitzero" doc:"Whether a license is valid only on activated machines."`
	Floating         *bool                    `json:"floating,omitzero" doc:"Whether seats are floating, which means leased for a limited time, instead of assigned to named users."`
	OfflineDays      *int                     `json:"offline_days,omitzero" doc:"Days an offline license file stays valid. Use 0 to disallow offline files." jsonschema:"minimum=0,maximum=730,example=14"`
	HeartbeatMinutes *int                     `json:"heartbeat_minutes,omitzero" doc:"Minutes without a heartbeat after which a machine lapses and frees its activation. Use 0 for never." jsonschema:"minimum=0,maximum=525600,example=60"`
	Features         feature.Values           `json:"features,omitzero" doc:"Feature values that a license grants. Replaces all previous values."`
	Meters           map[string]license.Meter `json:"meters,omitzero" doc:"Metered usage, by meter name. Replaces all previous meters. At most 20 meters."`
	OnExpiry         *license.Expiry          `json:"on_expiry,omitzero" doc:"Behavior after a license expires: deny makes it invalid, grace keeps it valid for grace_days, allow keeps it valid." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        *int                     `json:"grace_days,omitzero" doc:"Days a license stays valid after it expires, if on_expiry is grace." jsonschema:"minimum=0,maximum=365,example=0"`
	Starts           *license.Start           `json:"starts,omitzero" doc:"When the duration starts: when the license is issued, or when its first machine is activated." jsonschema:"enum=issue,enum=activation"`
	TransfersPerYear *int                     `json:"transfers_per_year,omitzero" doc:"Transfers from one machine to another per year." jsonschema:"minimum=0,maximum=1000,example=12"`
	Overage          *license.Overage         `json:"overage,omitzero" doc:"How far machines and seats may exceed their limits: by a factor, or without limit." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
}

// over returns terms with the changes in them.
func (c PolicyChanges) over(t license.Terms) license.Terms {
	set(&t.DurationDays, c.DurationDays)
	set(&t.Seats, c.Seats)
	set(&t.MaxMachines, c.MaxMachines)
	set(&t.MachineBound, c.MachineBound)
	set(&t.Floating, c.Floating)
	set(&t.OfflineDays, c.OfflineDays)
	set(&t.HeartbeatMinutes, c.HeartbeatMinutes)
	set(&t.OnExpiry, c.OnExpiry)
	set(&t.GraceDays, c.GraceDays)
	set(&t.Starts, c.Starts)
	set(&t.TransfersPerYear, c.TransfersPerYear)
	set(&t.Overage, c.Overage)
	if c.Features != nil {
		t.Features = c.Features
	}
	if c.Meters != nil {
		t.Meters = c.Meters
	}
	return t
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// PolicyUpdateParams are the parameters of LICENSE.POLICY_UPDATE.
type PolicyUpdateParams struct {
	PolicyID        product.PolicyID `json:"policy_id" doc:"ID of the policy."`
	ApplyToExisting bool             `json:"apply_to_existing,omitzero" doc:"Whether to apply the new terms to licenses already issued from the policy. Terms set for a single license stay. By default, only new licenses get the new terms."`
	Changes         PolicyChanges    `json:"changes" doc:"Terms to change. Omitted terms keep their current values."`
}

// PolicyUpdateResult is the result of LICENSE.POLICY_UPDATE.
type PolicyUpdateResult struct {
	Policy   view.LicensePolicy `json:"policy" doc:"The policy after the change."`
	Licenses int                `json:"licenses_changed" doc:"Number of licenses issued from the policy, which the job goes through. 0 without apply_to_existing."`
	JobID    job.ID             `json:"job_id,omitzero" doc:"ID of the job that updates existing licenses (JOB.GET). Omitted without apply_to_existing."`
}

func (s *Service) policyUpdate() command.Definition {
	return command.Define(command.Spec[PolicyUpdateParams, PolicyUpdateResult]{
		Name:    "LICENSE.POLICY_UPDATE",
		Summary: "Update a license policy.",
		Description: "The new terms apply to licenses you issue from now on. With `apply_to_existing`, a background job also applies them to " +
			"existing licenses.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{license.KindPolicyUpdated, license.KindUpdated, job.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p PolicyUpdateParams) (result PolicyUpdateResult, err error) {
			id := job.NewID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := s.changed(ctx, tx, call.Caller, p)
				if err != nil {
					return err
				}
				result = PolicyUpdateResult{Policy: view.OfLicensePolicy(found.Snapshot())}
				if !p.ApplyToExisting {
					return nil
				}
				result.JobID = id
				result.Licenses, err = s.orderApplying(ctx, tx, call.Caller, found.Snapshot(), id)
				return err
			})
			return result, err
		},
	})
}

// changed changes a policy of the caller's workspace. It fails with license.ErrNoPolicy.
func (s *Service) changed(ctx context.Context, tx Repos, caller access.Caller, p PolicyUpdateParams) (*license.Policy, error) {
	found, err := tx.Policies.ByID(ctx, p.PolicyID)
	if err != nil {
		return nil, err
	}
	of := found.Snapshot()
	if !caller.Sees(of.OrgID) {
		return nil, license.ErrNoPolicy
	}
	if err := found.Update(p.Changes.Name, p.Changes.over(of.Terms), s.now()); err != nil || !found.Changed() {
		return found, err
	}
	return found, tx.Policies.Save(ctx, found)
}
