package flow

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// MaxFlows is how many flows a workspace, or the instance, has at most.
const MaxFlows = 200

// KeptVersions is how many versions of a flow are kept.
const KeptVersions = 100

// Errors of flows.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such flow")
	ErrNoVersion = fault.New(fault.NotFound, "no such flow version: the last 100 are kept")
	ErrNameTaken = fault.Unfit("/name", "is already the name of another flow in this scope")
	ErrTooMany   = fault.LimitReached("flow", MaxFlows, "delete unused flows")
	ErrStale     = fault.Unfit("/expected_version", "is not the current version: the flow has changed since you read it")
)

// Version is a graph as it was once.
type Version struct {
	Number    int   `audit:"version"`
	Graph     Graph `audit:"graph"`
	Author    string
	CreatedAt time.Time
	// Changes say how it differs from the version before.
	Changes []string
}

// Snapshot is the stored state of a flow.
type Snapshot struct {
	ID ID `audit:"id"`
	// OrgID is the workspace that it belongs to; empty: the instance.
	OrgID       workspace.ID
	Name        Name    `audit:"name"`
	Description string  `audit:"description"`
	Trigger     Trigger `audit:"trigger"`
	Enabled     bool    `audit:"enabled"`
	// Current is the version in force.
	Current              Version `audit:"current"`
	CreatedAt, UpdatedAt time.Time
}

// Scope returns the scope of the flow.
func (s Snapshot) Scope() Scope {
	if s.OrgID == "" {
		return Instance
	}
	return Workspace
}

// Flow is one flow.
type Flow struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new flow. Its graph must be valid.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	Name        Name
	Description string
	Trigger     Trigger
	Graph       Graph
	Author      string
}

// New makes a flow that is switched off.
func New(d Draft, now time.Time) *Flow {
	f := &Flow{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, Name: d.Name, Description: d.Description, Trigger: d.Trigger,
		Current:   Version{Number: 1, Graph: d.Graph, Author: d.Author, CreatedAt: now, Changes: []string{}},
		CreatedAt: now, UpdatedAt: now,
	}}
	f.Track(&f.s)
	f.Raise(Created{f.about()})
	return f
}

// Restore returns the flow that was stored.
func Restore(s Snapshot, version int64) *Flow {
	f := &Flow{Root: aggregate.At(version), s: s}
	f.Track(&f.s)
	return f
}

// Snapshot returns the state to store.
func (f *Flow) Snapshot() Snapshot { return f.s }

// Expect fails with ErrStale unless the current version is the one that a caller saw; 0
// expects none.
func (f *Flow) Expect(version int) error {
	if version != 0 && version != f.s.Current.Number {
		return ErrStale
	}
	return nil
}

// Describe changes the description.
func (f *Flow) Describe(text string, now time.Time) {
	if f.s.Description == text {
		return
	}
	f.s.Description, f.s.UpdatedAt = text, now
	f.Raise(Updated{f.about(), []string{"description"}})
}

// Rewrite makes a sound graph current, as a new version. The same one again changes nothing.
func (f *Flow) Rewrite(g Graph, author string, now time.Time) {
	if f.s.Current.Graph.Equal(g) {
		return
	}
	changes := g.Changes(f.s.Current.Graph)
	f.s.Current = Version{Number: f.s.Current.Number + 1, Graph: g, Author: author, CreatedAt: now, Changes: changes}
	f.s.UpdatedAt = now
	f.Raise(Updated{f.about(), slices.Clone(changes)})
}

// Enable switches the flow on. That no other one of its trigger and scope is, is for the
// store to see to.
func (f *Flow) Enable(now time.Time) {
	if f.s.Enabled {
		return
	}
	f.s.Enabled, f.s.UpdatedAt = true, now
	f.Raise(Enabled{f.about()})
}

// Disable switches the flow off.
func (f *Flow) Disable(now time.Time) {
	if !f.s.Enabled {
		return
	}
	f.s.Enabled, f.s.UpdatedAt = false, now
	f.Raise(Disabled{f.about()})
}

// Delete ends the flow. It is for the store to remove it.
func (f *Flow) Delete() { f.Raise(Deleted{f.about()}) }

func (f *Flow) about() About {
	return About{FlowID: f.s.ID, OrgID: f.s.OrgID, Name: f.s.Name, Trigger: f.s.Trigger, Version: f.s.Current.Number}
}
