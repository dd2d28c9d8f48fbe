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
	Name             workspace.Label          `json:"name,omitzero" doc:"Name to show."`
	DurationDays     *int                     `json:"duration_days,omitzero" doc:"Days that a license holds; 0: for ever." jsonschema:"minimum=0,maximum=36500,example=365"`
	Seats            *int                     `json:"seats,omitzero" doc:"Seats that may be taken; 0: any number." jsonschema:"minimum=0,maximum=1000000,example=5"`
	MaxMachines      *int                     `json:"max_machines,omitzero" doc:"Machines that may be active at once; 0: any number." jsonschema:"minimum=0,maximum=100000,example=3"`
	MachineBound     *bool                    `json:"machine_bound,omitzero" doc:"Whether a license is valid on activated machines alone."`
	Floating         *bool                    `json:"floating,omitzero" doc:"Whether seats are leased for a while, and not given by name."`
	OfflineDays      *int                     `json:"offline_days,omitzero" doc:"Days that a license file holds; 0: there are none." jsonschema:"minimum=0,maximum=730,example=14"`
	HeartbeatMinutes *int                     `json:"heartbeat_minutes,omitzero" doc:"Minutes after which a silent machine lapses and frees its place; 0: none does." jsonschema:"minimum=0,maximum=525600,example=60"`
	Features         feature.Values           `json:"features,omitzero" doc:"What a license gives, in place of what it gave before."`
	Meters           map[string]license.Meter `json:"meters,omitzero" doc:"Uses that are counted, in place of those before; at most 20."`
	OnExpiry         *license.Expiry          `json:"on_expiry,omitzero" doc:"What follows the last day." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        *int                     `json:"grace_days,omitzero" doc:"Days of grace." jsonschema:"minimum=0,maximum=365,example=0"`
	Starts           *license.Start           `json:"starts,omitzero" doc:"When the days begin." jsonschema:"enum=issue,enum=activation"`
	TransfersPerYear *int                     `json:"transfers_per_year,omitzero" doc:"Moves from one machine to another in a year." jsonschema:"minimum=0,maximum=1000,example=12"`
	Overage          *license.Overage         `json:"overage,omitzero" doc:"By how much machines and seats may exceed their limit." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
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
	PolicyID        product.PolicyID `json:"policy_id" doc:"The policy."`
	ApplyToExisting bool             `json:"apply_to_existing,omitzero" doc:"Whether licenses that were issued from it get the terms too, but for those that were set for one alone; else it is for new ones."`
	Changes         PolicyChanges    `json:"changes" doc:"What to change."`
}

// PolicyUpdateResult is the result of LICENSE.POLICY_UPDATE.
type PolicyUpdateResult struct {
	Policy   view.LicensePolicy `json:"policy" doc:"The policy as it stands."`
	Licenses int                `json:"licenses_changed" doc:"Licenses that were issued from it, which the job goes through; 0 without apply_to_existing."`
	JobID    job.ID             `json:"job_id,omitzero" doc:"The job that changes them (JOB.GET)."`
}

func (s *Service) policyUpdate() command.Definition {
	return command.Define(command.Spec[PolicyUpdateParams, PolicyUpdateResult]{
		Name:    "LICENSE.POLICY_UPDATE",
		Summary: "Change the terms of a license policy, for licenses to come, or by a job for those there are too.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindPolicyUpdated, license.KindUpdated, job.KindCreated},
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
