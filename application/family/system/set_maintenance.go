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
	errPast    = fault.Invalid("/until", "must be in the future")
	errNothing = fault.Invalid("/mode", "off takes neither message nor until")
)

// SetMaintenanceParams are the parameters of SYSTEM.SET_MAINTENANCE.
type SetMaintenanceParams struct {
	Mode    maintenance.Mode `json:"mode" doc:"off: everything is answered; read_only: what changes something is refused, but for signing in and out and for taking access away; closed: superadmins alone are answered." jsonschema:"enum=off,enum=read_only,enum=closed,example=off"`
	Message string           `json:"message,omitzero" doc:"What those who are refused are shown." jsonschema:"maxLength=500" example:"-"`
	Until   *time.Time       `json:"until,omitzero" doc:"When the mode ends by itself; absent: it does not." example:"-"`
}

// SetMaintenanceResult is the result of SYSTEM.SET_MAINTENANCE.
type SetMaintenanceResult struct {
	Maintenance maintenance.State `json:"maintenance" doc:"The maintenance as it is now."`
}

func (s *Service) setMaintenance() command.Definition {
	return command.Define(command.Spec[SetMaintenanceParams, SetMaintenanceResult]{
		Name: "SYSTEM.SET_MAINTENANCE",
		Summary: "Hold the instance back on all replicas from the next request on: read-only, or closed to all but superadmins. " +
			"Those who are refused get RATE_LIMITED, by 503 over HTTP, with Retry-After. Work in the background goes on.",
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
