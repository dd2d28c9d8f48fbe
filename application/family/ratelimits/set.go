package ratelimits

import (
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound/ops"
)

// SetParams are the parameters of RATE_LIMIT.SET.
type SetParams struct {
	Command       string    `json:"command" doc:"Name of the command, or * for all commands. With * and key token, the limit covers all calls of a token together. With * and key ip, it covers malformed calls and wrong credentials from an address together." jsonschema:"minLength=1,maxLength=100,example=AUTH.LOGIN"`
	Limit         int       `json:"limit" doc:"Maximum number of calls in any window." jsonschema:"minimum=1,maximum=1000000000,example=20"`
	WindowSeconds int       `json:"window_seconds" doc:"Length of the window. Seconds." jsonschema:"minimum=1,maximum=86400,example=60"`
	Key           limit.Key `json:"key,omitzero" doc:"Property of a call to count by. Every command accepts ip, and commands that take a credential also token and user. Other keys need a default limit of the command with that key. For *, only token and ip are accepted. Defaults to the key of the command's only limit. For * and for commands without a limit, defaults to token, or to ip if the command takes no credential. Required if the command has several limits." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
}

// SetResult is the result of RATE_LIMIT.SET.
type SetResult struct {
	RateLimit RateLimit `json:"rate_limit" doc:"The rate limit in force."`
}

func (s *Service) set() command.Definition {
	return command.Define(command.Spec[SetParams, SetResult]{
		Name:    "RATE_LIMIT.SET",
		Summary: "Set a rate limit.",
		Description: "The limit applies on every replica from the next request. It replaces the limit with the same key and applies alongside limits " +
			"with other keys. Calls already counted still count.",
		Access: access.Superadmin(),
		Effect: command.Writes,
		Emits:  []event.Kind{limit.KindSet},
		Handle: func(ctx context.Context, _ command.Call, p SetParams) (SetResult, error) {
			t, err := s.target(p.Command)
			if err != nil {
				return SetResult{}, err
			}
			by, err := t.key(p.Key, s.inForce(t))
			if err != nil {
				return SetResult{}, err
			}
			spec := limit.Spec{By: by, Rule: limit.Rule{Limit: p.Limit, Window: time.Duration(p.WindowSeconds) * time.Second}}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if err := tx.Rules.Set(ctx, ops.TunedLimit{Command: t.name, By: by, Rule: spec.Rule}); err != nil {
					return err
				}
				change, err := aggregate.Between(t.name, t.byKey(s.inForce(t), by), t.show(spec, true))
				if err != nil {
					return err
				}
				return tx.Events.RecordChange(ctx, limit.WasSet{
					Command: t.name, Key: by, Limit: p.Limit, WindowSeconds: p.WindowSeconds,
				}, change)
			})
			return SetResult{RateLimit: t.show(spec, true)}, err
		},
	})
}

// byKey shows the limit that counts by a key; nil without one.
func (t target) byKey(rules []limit.Spec, by limit.Key) any {
	at := slices.IndexFunc(rules, func(one limit.Spec) bool { return one.By == by })
	if at < 0 {
		return nil
	}
	return t.show(rules[at], !slices.Contains(t.defaults, rules[at]))
}

// key returns what a limit is to count by, given what limits there are.
func (t target) key(asked limit.Key, rules []limit.Spec) (limit.Key, error) {
	switch {
	case asked != "" && !slices.Contains(t.keys, asked):
		return "", fault.Invalid("/key", "calls of this command can only be counted by: "+join(t.keys))
	case asked != "":
		return asked, nil
	case len(rules) == 0, t.name == command.Overall:
		return t.keys[0], nil
	case len(rules) == 1:
		return rules[0].By, nil
	}
	var have []limit.Key
	for _, rule := range rules {
		have = append(have, rule.By)
	}
	return "", fault.Invalid("/key", "this command has several limits: set key to one of "+join(have))
}

func join(keys []limit.Key) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key)
	}
	return strings.Join(names, ", ")
}
