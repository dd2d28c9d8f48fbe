package licenses

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// UpdateParams are the parameters of LICENSE.UPDATE.
type UpdateParams struct {
	LicenseID   license.ID     `json:"license_id" doc:"ID of the license."`
	Features    feature.Values `json:"features,omitzero" doc:"Feature values that the license grants. Replaces all previous values." example:"-"`
	Seats       *int           `json:"seats,omitzero" doc:"Maximum number of seats. Use 0 for unlimited." jsonschema:"minimum=0,maximum=1000000,example=5"`
	ExpiresAt   *time.Time     `json:"expires_at,omitzero" doc:"Time at which the license expires. Set a later time to renew the license." example:"-"`
	MaxMachines *int           `json:"max_machines,omitzero" doc:"Maximum number of machines active at once. Use 0 for unlimited." jsonschema:"minimum=0,maximum=100000,example=3"`
	OfflineDays *int           `json:"offline_days,omitzero" doc:"Days an offline license file stays valid. Use 0 to disallow offline files." jsonschema:"minimum=0,maximum=730,example=14"`
	UserID      *user.ID       `json:"user_id,omitzero" doc:"Account that becomes the owner of the license." example:"-"`
	OwnerOrgID  *workspace.ID  `json:"owner_org_id,omitzero" doc:"Workspace that becomes the owner of the license, instead of an account." example:"-"`
	Metadata    map[string]any `json:"metadata_json,omitzero" doc:"Changes to your own data, as a merge patch (RFC 7396). The merged data is at most 16 KiB and 8 levels deep."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "LICENSE.UPDATE",
		Summary:     "Update, renew or reassign a license.",
		Description: "Omitted fields keep their current values. Terms you set here stay when the policy of the license changes.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (Result, error) {
			return s.change(ctx, call.Caller, p.LicenseID, func(tx Repos, l *license.License) error {
				change := license.Change{
					Own:      license.OwnTerms{Features: p.Features, Seats: p.Seats, MaxMachines: p.MaxMachines, OfflineDays: p.OfflineDays, ExpiresAt: p.ExpiresAt},
					Metadata: p.Metadata,
				}
				if change.Owner = p.owner(); change.Owner != nil {
					if err := belongs(ctx, tx, *change.Owner); err != nil {
						return err
					}
				}
				return l.Update(change, s.now())
			})
		},
	})
}

// owner returns whom the license is to be given to; nil for whom it belongs to.
func (p UpdateParams) owner() *license.Owner {
	if p.UserID == nil && p.OwnerOrgID == nil {
		return nil
	}
	to := &license.Owner{}
	if p.UserID != nil {
		to.UserID = *p.UserID
	}
	if p.OwnerOrgID != nil {
		to.OrgID = *p.OwnerOrgID
	}
	return to
}
