// Package addresses applies the IP rules of the instance and of workspaces
// (spec/flows.md section 5). The engine calls it before it checks a credential, and
// again once the workspace is known; commands that issue tokens call it for the
// workspace of the tokens, and flows for lists.
//
// # Decision: compiled once for each revision
//
// Context: every command is checked, a scope may have 10,000 rules, and a change must
// take effect on every replica with the next request.
//
// Choice: the configuration of the instance contains the revisions at which the rules
// of the instance, and those of any workspace, last changed. If there never was a rule,
// nothing is checked. Otherwise a replica compiles the rules of a scope on first use,
// and again when the revision has changed; when rules expire, the rules already read
// are compiled again.
//
// What would change our mind: workspaces that change rules all the time. Then each
// needs a revision of its own.
package addresses

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// mostScopes is of how many workspaces a replica keeps the rules compiled.
const mostScopes = 1000

// Lists looks up the named lists of addresses, for the nodes of flows.
type Lists interface {
	// Contains reports whether an address is in a live range on a list of a workspace, or
	// of the instance for the empty one, whatever the action of the rule is. Nothing is on
	// a list that there is not.
	Contains(ctx context.Context, org workspace.ID, list iprule.List, address netip.Addr) (bool, error)
}

// Rules judges addresses.
type Rules struct {
	Directory ops.IPRuleDirectory
	Instance  *instance.Current
	Clock     outbound.Clock

	loading sync.Mutex
	known   atomic.Pointer[compiledRules]
}

var _ Lists = (*Rules)(nil)

// compiledRules are the compiled rules at their revisions.
type compiledRules struct {
	at       ops.IPRuleMarks
	instance *Set
	// workspaces are those that were asked for, by workspace.ID.
	workspaces *sync.Map
	count      *atomic.Int64
}

// Admit fails with iprule.ErrDenied if the instance denies an address.
func (r *Rules) Admit(ctx context.Context, address netip.Addr) error {
	if r.Instance.State().IPRules.Instance == 0 {
		return nil
	}
	set, err := r.Of(ctx, "")
	if err != nil {
		return err
	}
	if allowed, _ := set.Decide("", address); !allowed {
		return iprule.ErrDenied
	}
	return nil
}

// AdmitTo fails with iprule.ErrDeniedThere if a workspace denies an address.
func (r *Rules) AdmitTo(ctx context.Context, org workspace.ID, address netip.Addr) error {
	if org == "" || r.Instance.State().IPRules.Workspaces == 0 {
		return nil
	}
	set, err := r.Of(ctx, org)
	if err != nil {
		return err
	}
	if allowed, _ := set.Decide("", address); !allowed {
		return iprule.ErrDeniedThere
	}
	return nil
}

// Contains returns that of Lists.
func (r *Rules) Contains(ctx context.Context, org workspace.ID, list iprule.List, address netip.Addr) (bool, error) {
	set, err := r.Of(ctx, org)
	return err == nil && set.Contains(list, address), err
}

// Of returns the rules of a workspace, or of the instance for the empty one, as they are now.
func (r *Rules) Of(ctx context.Context, org workspace.ID) (*Set, error) {
	marks := r.Instance.State().IPRules
	if set := r.known.Load().of(marks, org); set != nil {
		return r.fresh(org, set), nil
	}
	r.loading.Lock()
	defer r.loading.Unlock()
	marks = r.Instance.State().IPRules
	held := r.known.Load()
	if set := held.of(marks, org); set != nil {
		return r.fresh(org, set), nil
	}
	// The rules are at least as new as the marks: changes increment the marks in the
	// same transaction, so newer marks lead to reading them again.
	rules, err := r.Directory.OfScope(ctx, org)
	if err != nil {
		return nil, fmt.Errorf("load the address rules: %w", err)
	}
	set := Compile(rules, r.Clock.Now())
	r.known.Store(held.with(marks, org, set))
	return set, nil
}

// fresh removes rules that have expired since the set was compiled.
func (r *Rules) fresh(org workspace.ID, set *Set) *Set {
	now := set.At(r.Clock.Now())
	if now != set {
		r.loading.Lock()
		defer r.loading.Unlock()
		held := r.known.Load()
		if held.of(held.at, org) == set {
			r.known.Store(held.with(held.at, org, now))
		}
	}
	return now
}

// of returns the set of a scope, nil where it was not compiled or its rules have changed.
func (k *compiledRules) of(marks ops.IPRuleMarks, org workspace.ID) *Set {
	switch {
	case k == nil:
		return nil
	case org == "" && k.at.Instance == marks.Instance:
		return k.instance
	case org == "" || k.at.Workspaces != marks.Workspaces:
		return nil
	}
	found, _ := k.workspaces.Load(org)
	set, _ := found.(*Set)
	return set
}

// with returns the rules with another set, without outdated ones.
func (k *compiledRules) with(marks ops.IPRuleMarks, org workspace.ID, set *Set) *compiledRules {
	next := &compiledRules{at: marks, workspaces: &sync.Map{}, count: &atomic.Int64{}}
	if k != nil && k.at.Instance == marks.Instance {
		next.instance = k.instance
	}
	if k != nil && k.at.Workspaces == marks.Workspaces && k.count.Load() < mostScopes {
		next.workspaces, next.count = k.workspaces, k.count
	}
	if org == "" {
		next.instance = set
		return next
	}
	if _, replaced := next.workspaces.Swap(org, set); !replaced {
		next.count.Add(1)
	}
	return next
}
