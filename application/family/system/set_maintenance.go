package system

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maintenance"
)

// Errors of SYSTEM.SET_MAINTENANCE.
var (
	errPast    = fault.Unfit("/until", "must be in the future")
	errNothing = fault.Invalid("/mode", "message and until cannot be combined with mode off")
)

// SetMaintenanceParams are the parameters of SYSTEM.SET_MAINTENANCE.
type SetMaintenanceParams struct {
	Mode    maintenance.Mode `json:"mode" doc:"Maintenance mode. off: all commands work. read_only: commands that change something are rejected, except signing in and out and revoking access. closed: only superadmins are served." jsonschema:"enum=off,enum=read_only,enum=closed,example=off"`
	Message string           `json:"message,omitzero" doc:"Message shown to rejected callers." jsonschema:"maxLength=500" example:"-"`
	Until   *time.Time       `json:"until,omitzero" doc:"When the mode ends automatically. Omit to keep the mode until you change it." example:"-"`
}

// SetMaintenanceResult is the result of SYSTEM.SET_MAINTENANCE.
type SetMaintenanceResult struct {
	Maintenance maintenance.State `json:"maintenance" doc:"Current maintenance state."`
}

func (s *Service) setMaintenance() command.Definition {
	return command.Define(command.Spec[SetMaintenanceParams, SetMaintenanceResult]{
		Name:    "SYSTEM.SET_MAINTENANCE",
		Summary: "Set the maintenance mode of the instance.",
		Description: "Makes the instance read-only, or closes it to everyone except superadmins. The mode applies on all replicas from the next " +
			"request.\n\nRejected callers get RATE_LIMITED with HTTP status 503 and `Retry-After`. Background work continues.\n\nRequires a " +
			"sign-in within the last 15 minutes.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{maintenance.KindSet},
		Handle: func(ctx context.Context, _ command.Call, p SetMaintenanceParams) (SetMaintenanceResult, error) {
			if p.Until != nil && !p.Until.After(s.Clock.Now()) {
				return SetMaintenanceResult{}, errPast
			}
			if p.Mode == maintenance.Off && (p.Message != "" || p.Until != nil) {
				return SetMaintenanceResult{}, errNothing
			}
			state := maintenance.State{Mode: p.Mode, Message: p.Message, Until: p.Until}
			return SetMaintenanceResult{Maintenance: state}, s.maintain(ctx, state)
		},
	})
}

// maintain stores the maintenance.
func (s *Service) maintain(ctx context.Context, state maintenance.State) error {
	stored, err := strictjson.Encode(state)
	if err != nil {
		return err
	}
	before := s.Instance.State().Maintenance
	if before.Mode == "" {
		before.Mode = maintenance.Off
	}
	change, err := aggregate.Between("", before, state)
	if err != nil {
		return err
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		if err := tx.Settings.Set(ctx, map[string]json.RawMessage{maintenance.Setting: stored}); err != nil {
			return err
		}
		return tx.Events.RecordChange(ctx, maintenance.Set(state), change)
	})
}
