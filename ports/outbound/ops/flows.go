package ops

import (
	"context"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Flows stores flows, inside a unit of work. The empty workspace is the instance.
// Changes of active flows increment the instance revision.
type Flows interface {
	// Hold blocks concurrent changes of the flows of a scope until the transaction
	// ends. It fails with workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) error
	// ByName returns a flow. It fails with flow.ErrNotFound.
	ByName(ctx context.Context, org workspace.ID, name flow.Name) (*flow.Flow, error)
	// Enabled returns the active flow of a trigger; nil for none.
	Enabled(ctx context.Context, org workspace.ID, trigger flow.Trigger) (*flow.Flow, error)
	// Version returns a version of a flow. It fails with flow.ErrNoVersion.
	Version(ctx context.Context, of flow.ID, number int) (flow.Version, error)
	// Save stores a flow, and deletes its oldest versions beyond the limit. It fails
	// with flow.ErrNameTaken and flow.ErrTooMany.
	Save(ctx context.Context, f *flow.Flow) error
	Delete(ctx context.Context, f *flow.Flow) error
}

// FlowMarks are the instance revisions of the last changes of active flows: of the
// instance, and of any workspace; 0 for none.
type FlowMarks struct{ Instance, Workspaces int64 }

// FlowDirectory reads flows, outside any transaction.
type FlowDirectory interface {
	// Find returns a flow. It fails with flow.ErrNotFound.
	Find(ctx context.Context, org workspace.ID, name flow.Name) (flow.Snapshot, error)
	// List returns the flows that match, newest first.
	List(ctx context.Context, query FlowQuery) ([]flow.Snapshot, error)
	// Version returns a version of a flow. It fails with flow.ErrNoVersion.
	Version(ctx context.Context, of flow.ID, number int) (flow.Version, error)
	// Versions returns versions below a number (0 for all), newest first.
	Versions(ctx context.Context, of flow.ID, below, limit int) ([]flow.Version, error)
}

// FlowRuns stores runs of flows, inside a unit of work.
type FlowRuns interface {
	// Add stores runs, and an event for each failed one.
	Add(ctx context.Context, runs ...flow.Run) error
}

// FlowRunDirectory reads runs, outside any transaction.
type FlowRunDirectory interface {
	// Find returns a run. It fails with flow.ErrNoRun.
	Find(ctx context.Context, orgs []workspace.ID, id flow.RunID) (flow.Run, error)
	// List returns the runs that match, newest first.
	List(ctx context.Context, query FlowRunQuery) ([]flow.Run, error)
}

// FlowRunQuery narrows a list of runs; zero values except Orgs do not narrow.
type FlowRunQuery struct {
	// Orgs are the workspaces of the runs; the empty one is the instance.
	Orgs     []workspace.ID
	Name     flow.Name
	Trigger  flow.Trigger
	Decision flow.Decision
	User     user.ID
	// From is inclusive, and To exclusive.
	From, To time.Time
	// Before is the last ID of the previous page.
	Before flow.RunID
	Limit  int
}

// FlowQuery narrows a list of flows; zero values except Org do not narrow.
type FlowQuery struct {
	Org     workspace.ID
	Trigger flow.Trigger
	Enabled *bool
	// Before is the last ID of the previous page.
	Before flow.ID
	Limit  int
}
