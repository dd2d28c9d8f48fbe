package ops

import (
	"context"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Flows stores flows, inside a unit of work. The empty workspace is the instance. What
// changes which flow is in force moves the instance revision.
type Flows interface {
	// Hold holds off every other unit that changes flows of a scope, until this one ends. It
	// fails with workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) error
	// ByName fails with flow.ErrNotFound.
	ByName(ctx context.Context, org workspace.ID, name flow.Name) (*flow.Flow, error)
	// Enabled returns the flow of a trigger that is in force; nil when there is none.
	Enabled(ctx context.Context, org workspace.ID, trigger flow.Trigger) (*flow.Flow, error)
	// Version fails with flow.ErrNoVersion.
	Version(ctx context.Context, of flow.ID, number int) (flow.Version, error)
	// Save fails with flow.ErrNameTaken and flow.ErrTooMany. It keeps the last versions.
	Save(ctx context.Context, f *flow.Flow) error
	Delete(ctx context.Context, f *flow.Flow) error
}

// FlowMarks are the revisions of the instance at which the flows that are in force changed
// last: those of the instance, and those of any workspace; 0: there never was one.
type FlowMarks struct{ Instance, Workspaces int64 }

// FlowDirectory finds flows for reading, outside any transaction.
type FlowDirectory interface {
	// Find fails with flow.ErrNotFound.
	Find(ctx context.Context, org workspace.ID, name flow.Name) (flow.Snapshot, error)
	// List returns the flows that match, newest first.
	List(ctx context.Context, query FlowQuery) ([]flow.Snapshot, error)
	// Version fails with flow.ErrNoVersion.
	Version(ctx context.Context, of flow.ID, number int) (flow.Version, error)
	// Versions returns versions below a number, 0 for all, newest first.
	Versions(ctx context.Context, of flow.ID, below, limit int) ([]flow.Version, error)
}

// FlowRuns stores what flows came to, inside a unit of work.
type FlowRuns interface {
	// Add stores runs. One that failed is told as an event, too.
	Add(ctx context.Context, runs ...flow.Run) error
}

// FlowRunDirectory finds runs for reading, outside any transaction.
type FlowRunDirectory interface {
	// Find fails with flow.ErrNoRun.
	Find(ctx context.Context, orgs []workspace.ID, id flow.RunID) (flow.Run, error)
	// List returns the runs that match, newest first.
	List(ctx context.Context, query FlowRunQuery) ([]flow.Run, error)
}

// FlowRunQuery narrows a list of runs; zero values but Orgs do not narrow.
type FlowRunQuery struct {
	// Orgs are the workspaces whose flows ran; the empty one is the instance.
	Orgs     []workspace.ID
	Name     flow.Name
	Trigger  flow.Trigger
	Decision flow.Decision
	User     user.ID
	// From is the first moment, To the first one beyond.
	From, To time.Time
	// Before is the last id of the page before.
	Before flow.RunID
	Limit  int
}

// FlowQuery narrows a list of flows; zero values but Org do not narrow.
type FlowQuery struct {
	Org     workspace.ID
	Trigger flow.Trigger
	Enabled *bool
	// Before is the last id of the page before.
	Before flow.ID
	Limit  int
}
