package featureflags

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
)

// Memory limits of the cached sets of all workspaces, and the estimated size of a
// feature and a condition, in bytes.
const (
	room         = 32 << 20
	perFeature   = 512
	perCondition = 8 << 10
)

// set is the features of a workspace at a revision, ready for use.
type set struct {
	revision int64
	features map[feature.Key]feature.Snapshot
	// conditions are those of all rules by their text; each compiles when it is first
	// needed.
	conditions map[string]*condition
	size       int
}

// condition is a condition, which is compiled when it is first needed.
type condition struct {
	text string
	made atomic.Pointer[compiled]
}

// compiled is a compiled condition, or what is wrong with it.
type compiled struct {
	expression outbound.Expression
	wrong      *outbound.ExpressionError
	// person reports whether it reads more of a person than the identifier.
	person bool
}

// build returns the set of features. Conditions of the previous set stay compiled.
func (s *Service) build(before *set, held licensing.FeatureHoldings) *set {
	made := &set{revision: held.Revision, features: map[feature.Key]feature.Snapshot{}, conditions: map[string]*condition{}}
	for _, f := range held.Features {
		made.features[f.Key] = f
		made.size += perFeature
		for _, r := range f.Rules {
			if r.When == "" || made.conditions[r.When] != nil {
				continue
			}
			if before != nil {
				made.conditions[r.When] = before.conditions[r.When]
			}
			if made.conditions[r.When] == nil {
				made.conditions[r.When] = &condition{text: r.When}
			}
			made.size += perCondition
		}
	}
	return made
}

// compiled returns a condition of a workspace as it is compiled. It fails with the context.
func (s *Service) compiled(ctx context.Context, org workspace.ID, c *condition) (*compiled, error) {
	if made := c.made.Load(); made != nil {
		return made, nil
	}
	err := outside.Run(ctx, func(ctx context.Context) error {
		expression, err := s.compile(ctx, org, c.text)
		wrong, mistaken := errors.AsType[*outbound.ExpressionError](err)
		if err != nil && !mistaken {
			return err
		}
		c.made.Store(&compiled{expression, wrong, !mistaken && readsPerson(expression)})
		return nil
	})
	return c.made.Load(), err
}

func readsPerson(e outbound.Expression) bool {
	return slices.ContainsFunc(e.Reads(), func(read string) bool { return strings.HasPrefix(read, "user.") && read != "user.id" })
}

// decision is one call of Decide.
type decision struct {
	service *Service
	ask     Input
	held    feature.Holdings
	subject feature.Subject
	// values are the variables of conditions; nil until one is needed. whole reports
	// whether all of the person is known.
	values map[string]any
	whole  bool
	// met are the conditions that were evaluated: many features share one.
	met map[string]bool
}

// all decides about each feature that was asked for.
func (d *decision) all(ctx context.Context, from *set) (map[feature.Key]feature.Decision, error) {
	keys := d.ask.Keys
	if keys == nil {
		keys = d.keys(from)
	}
	decided := make(map[feature.Key]feature.Decision, len(keys))
	for _, key := range keys {
		f, defined := from.features[key]
		if !defined {
			if owned, there := d.held.Undefined(key); there {
				decided[key] = owned
			}
			continue
		}
		one, err := f.Decide(d.held, d.subject, func(rule int) (bool, error) { return d.holds(ctx, from, f.Rules[rule].When) })
		if err != nil {
			return nil, err
		}
		decided[key] = one
	}
	return decided, nil
}

// keys returns all feature keys: owned ones, and defined ones or, for callers limited
// to what they own, overridden ones.
func (d *decision) keys(from *set) []feature.Key {
	var keys []feature.Key
	for _, owned := range []feature.OwnedValues{d.held.Licenses, d.held.Subscriptions} {
		for key := range owned {
			keys = append(keys, key)
		}
	}
	if !d.ask.Owned {
		for key := range from.features {
			keys = append(keys, key)
		}
		return keys
	}
	for _, pinned := range []feature.OwnedValues{d.held.Person, d.held.Workspace} {
		for key := range pinned {
			keys = append(keys, key)
		}
	}
	return keys
}

// holds reports whether a condition holds.
func (d *decision) holds(ctx context.Context, from *set, when string) (bool, error) {
	if when == "" {
		return true, nil
	}
	if met, known := d.met[when]; known {
		return met, nil
	}
	met, err := d.evaluate(ctx, from.conditions[when])
	d.met[when] = met
	return met, err
}

// evaluate evaluates a condition. A condition that fails is false.
func (d *decision) evaluate(ctx context.Context, c *condition) (bool, error) {
	made, err := d.service.compiled(ctx, d.ask.Org, c)
	if err != nil || made.wrong != nil {
		return false, err
	}
	if err := d.know(ctx, made.person); err != nil {
		return false, err
	}
	value, err := made.expression.Evaluate(ctx, d.values)
	if _, mistaken := errors.AsType[*outbound.ExpressionError](err); mistaken {
		return false, nil
	}
	return string(value) == "true", err
}

// know sets the variables; person requests all variables of the person. Rules see only
// the identifier of a person who is not a member of the defining workspace, unless they
// are the caller.
func (d *decision) know(ctx context.Context, person bool) error {
	if d.values == nil {
		d.values = map[string]any{"user": nil, "org": nil, "attributes": d.ask.Attributes}
		if d.ask.Attributes == nil {
			d.values["attributes"] = map[string]any{}
		}
		if d.subject.User != "" {
			d.values["user"] = map[string]any{"id": d.subject.User}
		}
		if d.subject.Org != "" {
			d.values["org"] = map[string]any{"id": d.subject.Org}
		}
	}
	if !person || d.whole || d.ask.User == "" {
		return nil
	}
	d.whole = true
	known := d.ask.Person
	if known == nil {
		var err error
		known, err = d.service.People.Person(ctx, d.ask.Org, d.ask.User)
		if errors.Is(err, user.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	d.values["user"] = known.Facts()
	return nil
}
