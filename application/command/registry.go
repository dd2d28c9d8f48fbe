package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/inbound"
)

// Registry is all commands by name.
type Registry struct {
	byName map[string]*Definition
	sorted []*Definition
}

// NewRegistry gathers definitions. It refuses, all at once, malformed and
// duplicate declarations and kinds of events that nobody described.
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

// Find gives a command by its exact name.
func (r *Registry) Find(name string) (*Definition, bool) {
	d, ok := r.byName[name]
	return d, ok
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

// Describe gives the published form of a command.
func (d *Definition) Describe() inbound.Descriptor {
	limits := []inbound.LimitDescriptor{}
	for _, rule := range d.DefaultLimits() {
		limits = append(limits, inbound.LimitDescriptor{
			By: string(rule.By), Limit: rule.Rule.Limit, WindowSeconds: int(rule.Rule.Window / time.Second),
		})
	}
	emits := append([]event.Kind{}, d.Emits...)
	return inbound.Descriptor{
		Name: d.Name, Family: d.Family, Summary: d.Summary, Access: d.Access.String(), Callers: callers(d.Access),
		Recent: d.Access.AsksRecent(),
		Effect: string(d.Effect), Limits: limits, Events: emits,
		Params: d.Params.JSON(), Result: d.Result.JSON(), Example: d.example(),
	}
}

// callers names the kinds of credentials that a rule lets in.
func callers(rule access.Rule) []string {
	names := []string{}
	for _, kind := range rule.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// example is a whole request body.
func (d *Definition) example() []byte {
	return fmt.Appendf(nil, `{"command":%q,"params":%s}`, d.Name, d.Params.Example())
}

// AnonymousLimit is what every anonymous command counts by address, unless it
// declares its own (contract section 10).
func AnonymousLimit() limit.Spec { return limit.PerMinute(limit.IP, 60) }

// OverallLimit is what all commands of one token share (specification section 8).
func OverallLimit() limit.Spec { return limit.PerMinute(limit.Token, 600) }

// Overall is the name under which the limit over all commands is tuned.
const Overall = "*"

// DefaultLimits are the limits a command has when nobody tunes any.
func (d *Definition) DefaultLimits() []limit.Spec {
	byAddress := slices.ContainsFunc(d.Limits, func(s limit.Spec) bool { return s.By == limit.IP })
	if d.Access.Anonymous() && !byAddress {
		return append([]limit.Spec{AnonymousLimit()}, d.Limits...)
	}
	return d.Limits
}
