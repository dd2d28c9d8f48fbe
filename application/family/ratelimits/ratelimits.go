// Package ratelimits implements the family RATE_LIMIT: custom limits, and their
// counters.
package ratelimits

import (
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// errCommand is returned if the command does not exist.
var errCommand = fault.New(fault.NotFound, "unknown command: names are case-sensitive, and * stands for all commands")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Rules  ops.LimitRules
	Events outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit     outbound.Unit[Repos]
	Instance *instance.Current
	Counters ops.LimitCounters
	// Blinder is the one that requests are counted under.
	Blinder outbound.Blinder
	Clock   outbound.Clock
	// Registry returns the commands, once all families are declared.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.set(),
		s.reset(),
		s.statusGet(),
	}
}

// RateLimit is a limit in results.
type RateLimit struct {
	Command       string    `json:"command" doc:"Name of the command, or * for all commands. With * and key token, the limit covers all calls of a token together. With * and key ip, it covers malformed calls and wrong credentials from an address together."`
	Limit         int       `json:"limit" doc:"Maximum number of calls in any window."`
	WindowSeconds int       `json:"window_seconds" doc:"Length of the window. Seconds."`
	Key           limit.Key `json:"key" doc:"Subject the limit counts by. ip: client address. token: session behind the token. email: email address in the call. user: account. all: all calls together." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
	Default       *Bounds   `json:"default" doc:"Default limit. Null if there is none."`
	Tuned         bool      `json:"tuned" doc:"Whether a superadmin has set this limit."`
}

// Bounds are the numbers of a limit.
type Bounds struct {
	Limit         int `json:"limit" doc:"Maximum number of calls in any window."`
	WindowSeconds int `json:"window_seconds" doc:"Length of the window. Seconds."`
}

// target is what can be limited: a command, or all together.
type target struct {
	name     string
	defaults []limit.Spec
	// keys are what its calls can be counted by, the usual one first.
	keys []limit.Key
	// guarded reports whether a login spike halves its limit by address.
	guarded bool
}

// target finds what can be limited by its name; it fails with errCommand.
func (s *Service) target(name string) (target, error) {
	if name == command.Overall {
		return overall(), nil
	}
	found, ok := s.Registry().Find(name)
	if !ok {
		return target{}, errCommand
	}
	return targetOf(found), nil
}

// targets returns all that can be limited.
func (s *Service) targets() []target {
	all := []target{overall()}
	for _, d := range s.Registry().All() {
		all = append(all, targetOf(d))
	}
	return all
}

func overall() target {
	return target{name: command.Overall, defaults: command.OverallLimits(), keys: []limit.Key{limit.Token, limit.IP}}
}

// targetOf returns what calls of a command can be counted by. Besides the address,
// that is the session and account of a credential, and of calls without one what
// its own limits say that their parameters name.
func targetOf(d *command.Definition) target {
	t := target{name: d.Name, defaults: d.DefaultLimits(), guarded: d.SpikeGuard}
	if d.Access.Honors() {
		t.keys = append(t.keys, limit.Token, limit.User)
	}
	t.keys = append(t.keys, limit.IP)
	for _, spec := range t.defaults {
		if !slices.Contains(t.keys, spec.By) {
			t.keys = append(t.keys, spec.By)
		}
	}
	return t
}

// inForce returns the target's limits as they stand.
func (s *Service) inForce(t target) []limit.Spec {
	return s.Instance.State().Limits(t.name, t.defaults)
}

// show returns one limit of a target.
func (t target) show(spec limit.Spec, tuned bool) RateLimit {
	shown := RateLimit{
		Command: t.name, Limit: spec.Rule.Limit, WindowSeconds: seconds(spec.Rule), Key: spec.By, Tuned: tuned,
	}
	at := slices.IndexFunc(t.defaults, func(d limit.Spec) bool { return d.By == spec.By })
	if at >= 0 {
		shown.Default = &Bounds{Limit: t.defaults[at].Rule.Limit, WindowSeconds: seconds(t.defaults[at].Rule)}
	}
	return shown
}

func seconds(rule limit.Rule) int { return int(rule.Window / time.Second) }
