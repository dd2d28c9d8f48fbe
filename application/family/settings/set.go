package settings

import (
	"context"
	"encoding/json"
	"strconv"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/setting"
)

// Change is what is to be set, by key.
type Change map[string]json.RawMessage

// SchemaFragment describes every setting, or null for it.
func (Change) SchemaFragment() map[string]any {
	schemas, err := patch.Schemas[setting.Values]()
	if err != nil {
		return map[string]any{"type": "object"}
	}
	return patch.Published(patch.Values{"access_token_seconds": json.RawMessage("600")}, schemas)
}

// SetParams are the parameters of SETTINGS.SET.
type SetParams struct {
	Values Change `json:"values" doc:"New values by key. Pass null to reset a setting to its default. Omitted settings do not change."`
}

// SetResult is the result of SETTINGS.SET.
type SetResult struct {
	Changed []string `json:"changed" doc:"Keys of the settings whose values changed, in order."`
}

func (s *Service) set() command.Definition {
	return command.Define(command.Spec[SetParams, SetResult]{
		Name:        "SETTINGS.SET",
		Summary:     "Update runtime settings.",
		Description: "The change takes effect on every replica from the next request. Pass null to reset a setting to its default.",
		Access:      access.Superadmin().Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{setting.KindUpdated},
		Handle: func(ctx context.Context, _ command.Call, p SetParams) (SetResult, error) {
			outcome, err := patch.Apply[setting.Values]("/values", s.Instance.State().Stored, patch.Values(p.Values))
			if err != nil {
				return SetResult{}, err
			}
			result := SetResult{Changed: outcome.Changed}
			if len(outcome.Changed) == 0 {
				return result, nil
			}
			changed := chosen(outcome.Values, outcome.Changed)
			if err := checkOrigins(changed); err != nil {
				return SetResult{}, err
			}
			return result, s.Unit.Do(ctx, func(tx Repos) error {
				if err := tx.Settings.Set(ctx, changed); err != nil {
					return err
				}
				change, err := aggregate.Between("", chosen(s.Instance.State().Stored, outcome.Changed), chosen(outcome.Values, outcome.Changed))
				if err != nil {
					return err
				}
				return tx.Events.RecordChange(ctx, setting.Updated{Changed: outcome.Changed}, change)
			})
		},
	})
}

// chosen are some of the values; those that are not set are null.
func chosen(values patch.Values, keys []string) patch.Values {
	some := patch.Values{}
	for _, key := range keys {
		some[key] = values[key]
	}
	return some
}

// checkOrigins refuses what no browser sends as an origin.
func checkOrigins(set patch.Values) error {
	values, err := instance.Overlay(setting.Values{}, set)
	if err != nil {
		return err
	}
	var complaints []fault.Field
	for i, origin := range values.CORSOrigins {
		if !setting.ValidOrigin(origin) {
			complaints = append(complaints, fault.Field{
				Path:    "/values/cors_origins/" + strconv.Itoa(i),
				Message: "must be * or an origin, such as https://app.example.com or http://localhost:3000",
			})
		}
	}
	if complaints == nil {
		return nil
	}
	return fault.Refuse(complaints...)
}
