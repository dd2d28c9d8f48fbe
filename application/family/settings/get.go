package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/setting"
)

// GetParams are the parameters of SETTINGS.GET.
type GetParams struct {
	Keys []string `json:"keys,omitzero" doc:"Keys of the settings to retrieve. Omit to retrieve all." jsonschema:"maxItems=100,example=access_token_seconds"`
}

// GetResult is the result of SETTINGS.GET.
type GetResult struct {
	Items []Setting `json:"items" doc:"Settings, sorted by key."`
}

// Setting is one setting in results.
type Setting struct {
	Key     string          `json:"key" doc:"Key of the setting."`
	Value   json.RawMessage `json:"value" doc:"Value in force."`
	Default json.RawMessage `json:"default" doc:"Value that null in SETTINGS.SET restores: the environment's value if set, otherwise the built-in one."`
	Source  string          `json:"source" doc:"Source of the value in force." jsonschema:"enum=default,enum=environment,enum=store"`
	Schema  json.RawMessage `json:"schema" doc:"JSON Schema of the value."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "SETTINGS.GET",
		Summary: "Retrieve runtime settings, with their values, defaults, sources and schemas.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, _ command.Call, p GetParams) (GetResult, error) {
			all, err := s.all()
			if err != nil {
				return GetResult{}, err
			}
			if err := unknown(p.Keys, all); err != nil {
				return GetResult{}, err
			}
			result := GetResult{Items: []Setting{}}
			for _, key := range slices.Sorted(maps.Keys(all)) {
				if p.Keys == nil || slices.Contains(p.Keys, key) {
					result.Items = append(result.Items, all[key])
				}
			}
			return result, nil
		},
	})
}

func unknown(keys []string, all map[string]Setting) error {
	var complaints []fault.Field
	for i, key := range keys {
		if _, known := all[key]; !known {
			complaints = append(complaints, fault.Field{Path: "/keys/" + strconv.Itoa(i), Message: "is not the key of a known setting"})
		}
	}
	if complaints == nil {
		return nil
	}
	return fault.Refuse(complaints...)
}

// all describes every setting by its key.
func (s *Service) all() (map[string]Setting, error) {
	state := s.Instance.State()
	schemas, err := patch.Schemas[setting.Values]()
	if err != nil {
		return nil, err
	}
	layers := make([]patch.Values, 0, 3)
	for _, values := range []setting.Values{s.Builtin, s.Instance.Defaults, state.Settings} {
		layer, err := patch.Of(values)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	builtin, environment, inForce := layers[0], layers[1], layers[2]
	all := make(map[string]Setting, len(inForce))
	for key, value := range inForce {
		one := Setting{Key: key, Value: value, Default: environment[key], Source: "default", Schema: schemas[key]}
		switch _, stored := state.Stored[key]; {
		case stored:
			one.Source = "store"
		case !bytes.Equal(builtin[key], environment[key]):
			one.Source = "environment"
		}
		all[key] = one
	}
	return all, nil
}
