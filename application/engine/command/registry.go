package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// Registry is all commands by name.
type Registry struct {
	byName map[string]*Definition
	sorted []*Definition
}

// NewRegistry returns a registry of definitions. It fails with all malformed and
// duplicate declarations and unknown event kinds. Schemas are checked by Check, because
// deriving them takes long.
func NewRegistry(definitions []Definition, kinds []event.Definition) (*Registry, error) {
	known := map[event.Kind]bool{}
	for _, kind := range kinds {
		known[kind.Example.Kind()] = true
	}
	r := &Registry{byName: make(map[string]*Definition, len(definitions))}
	var flaws []error
	for i := range definitions {
		d := &definitions[i]
		flaws = append(flaws, d.flaws(known)...)
		if _, twice := r.byName[d.Name]; twice {
			flaws = append(flaws, fmt.Errorf("%s is declared twice", d.Name))
		}
		r.byName[d.Name] = d
		r.sorted = append(r.sorted, d)
	}
	slices.SortFunc(r.sorted, func(a, b *Definition) int { return strings.Compare(a.Name, b.Name) })
	return r, errors.Join(flaws...)
}

func (d *Definition) flaws(known map[event.Kind]bool) []error {
	var flaws []error
	if d.flaw != nil {
		flaws = append(flaws, fmt.Errorf("command %s: %w", d.Name, d.flaw))
	}
	for _, kind := range d.Emits {
		if !known[kind] {
			flaws = append(flaws, fmt.Errorf("command %s: emits %s, which no domain package describes", d.Name, kind))
		}
	}
	return flaws
}

// Check derives the schemas of all commands, and fails with every mistake in their
// types. It is for a test: a command with such a mistake fails when it is called.
func (r *Registry) Check() error {
	var flaws []error
	for _, d := range r.sorted {
		if err := errors.Join(d.Params.Check(), d.Params.CheckBounds()); err != nil {
			flaws = append(flaws, fmt.Errorf("command %s: parameters: %w", d.Name, err))
		}
		if err := d.Result.Check(); err != nil {
			flaws = append(flaws, fmt.Errorf("command %s: result: %w", d.Name, err))
		}
	}
	return errors.Join(flaws...)
}

// Find returns a command by its exact name.
func (r *Registry) Find(name string) (*Definition, bool) {
	d, ok := r.byName[name]
	return d, ok
}

// Unknown returns the refusal of a name that no command has; it suggests the nearest.
func (r *Registry) Unknown(name string) *fault.Error {
	names := make([]string, len(r.sorted))
	for i, d := range r.sorted {
		names[i] = d.Name
	}
	hint := spelling.Hint(name, names)
	if hint == "" {
		hint = "; names are case-sensitive and listed at GET /api/v1/commands"
	}
	return fault.New(fault.Unknown, "unknown command"+hint)
}

// All lists every command in the order of the names.
func (r *Registry) All() []*Definition { return r.sorted }

// Catalog describes every command in the order of the names.
func (r *Registry) Catalog() []inbound.Descriptor {
	catalog := make([]inbound.Descriptor, 0, len(r.sorted))
	for _, d := range r.sorted {
		catalog = append(catalog, d.Describe())
	}
	return catalog
}

// Describe returns the published form of a command.
func (d *Definition) Describe() inbound.Descriptor { return d.DescribeBy(nobodyTuned) }

// LimitsInForce returns the current limits of a name, given the defaults.
type LimitsInForce func(name string, defaults []limit.Spec) []limit.Spec

// DescribeBy is Describe with the limits in force.
func (d *Definition) DescribeBy(inForce LimitsInForce) inbound.Descriptor {
	emits := append([]event.Kind{}, d.Emits...)
	return inbound.Descriptor{
		Command: d.Name, Name: d.Name, Family: d.Family, Summary: d.Summary, Description: d.Description, Access: d.Access.String(), Callers: callers(d.Access),
		Scope: d.Access.Scope(), Recent: d.Access.AsksRecent(),
		Effect: string(d.Effect), Limits: d.describeLimits(inForce), Events: emits,
		Errors: d.errors(),
		Params: d.Params.JSON(), Result: d.Result.JSON(), Example: d.example(),
	}
}

// nobodyTuned returns the default limits of a command.
func nobodyTuned(_ string, defaults []limit.Spec) []limit.Spec { return defaults }

// describeLimits returns the published form of a command's limits.
func (d *Definition) describeLimits(inForce LimitsInForce) []inbound.LimitDescriptor {
	limits := []inbound.LimitDescriptor{}
	add := func(specs []limit.Spec, shared bool) {
		for _, s := range specs {
			limits = append(limits, inbound.LimitDescriptor{
				By: string(s.By), Limit: s.Rule.Limit, WindowSeconds: int(s.Rule.Window / time.Second), Shared: shared,
			})
		}
	}
	add(inForce(d.Name, d.DefaultLimits()), false)
	if d.Access.Honors() {
		add(inForce(Overall, OverallLimits())[:1], true)
	}
	return limits
}

// callers returns the kinds of credentials that a rule admits.
func callers(rule access.Rule) []string {
	names := []string{}
	for _, kind := range rule.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// example returns a whole request body.
func (d *Definition) example() []byte {
	return fmt.Appendf(nil, `{"command":%q,"params":%s}`, d.Name, d.Params.Example())
}

// AnonymousLimit returns the default limit of anonymous commands by address (contract
// section 10).
func AnonymousLimit() limit.Spec { return limit.PerMinute(limit.IP, 60) }

// OverallLimit returns the limit of all commands of one token together (specification
// section 8).
func OverallLimit() limit.Spec { return limit.PerMinute(limit.Token, 600) }

// FaultyLimit returns the limit of malformed calls and invalid credentials of one
// address, over all commands.
func FaultyLimit() limit.Spec { return limit.PerMinute(limit.IP, 600) }

// OverallLimits returns the limits over all commands: OverallLimit, then FaultyLimit.
func OverallLimits() []limit.Spec { return []limit.Spec{OverallLimit(), FaultyLimit()} }

// Overall is the name under which the limits over all commands are tuned.
const Overall = "*"

// DefaultLimits returns the limits of a command without customization.
func (d *Definition) DefaultLimits() []limit.Spec {
	byAddress := slices.ContainsFunc(d.Limits, func(s limit.Spec) bool { return s.By == limit.IP })
	if d.Access.Anonymous() && !byAddress {
		return append([]limit.Spec{AnonymousLimit()}, d.Limits...)
	}
	return d.Limits
}
