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
	LicenseID   license.ID     `json:"license_id" doc:"The license."`
	Features    feature.Values `json:"features,omitzero" doc:"What it gives, in place of what it gave before." example:"-"`
	Seats       *int           `json:"seats,omitzero" doc:"Seats that may be taken; 0: any number." jsonschema:"minimum=0,maximum=1000000,example=5"`
	ExpiresAt   *time.Time     `json:"expires_at,omitzero" doc:"When its days are over; a later one renews it." example:"-"`
	MaxMachines *int           `json:"max_machines,omitzero" doc:"Machines that may be active at once; 0: any number." jsonschema:"minimum=0,maximum=100000,example=3"`
	OfflineDays *int           `json:"offline_days,omitzero" doc:"Days that a license file holds; 0: there are none." jsonschema:"minimum=0,maximum=730,example=14"`
	UserID      *user.ID       `json:"user_id,omitzero" doc:"The person whose it is to be." example:"-"`
	OwnerOrgID  *workspace.ID  `json:"owner_org_id,omitzero" doc:"The workspace whose it is to be, in place of a person." example:"-"`
	Metadata    map[string]any `json:"metadata_json,omitzero" doc:"What to change of the application's own data, as a merge patch (RFC 7396). The outcome is at most 16 KiB and 8 levels deep."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "LICENSE.UPDATE",
		Summary: "Change terms of a license or whose it is, or renew it; what is absent stays. Terms that are set here stay when its policy changes.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (Result, error) {
			return s.change(ctx, call.Caller, p.LicenseID, func(tx Repos, l *license.License) error {
				change := license.Change{
					Own:      license.Own{Features: p.Features, Seats: p.Seats, MaxMachines: p.MaxMachines, OfflineDays: p.OfflineDays, ExpiresAt: p.ExpiresAt},
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
