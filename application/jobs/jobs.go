// Package jobs starts and executes work that takes longer than a call.
//
// # Decision: a step is one transaction around the commands' units of work
//
// Context: a job must process each of its items once, although a replica may be killed
// between any two statements, and must follow the rules of the command for a single
// item.
//
// Choice: a step runs in one transaction, in which the units of work of the family are
// savepoints: a refused item is rolled back alone. The same transaction locks the row
// of the job, checks its maker, and saves the start of the next step. So the effects
// and the saved progress cannot differ, a canceled job stops after the current step,
// and a replica whose lease has expired finds another lease in the row and stores
// nothing. A step is short; its end renews the lease.
//
// What would change our mind: an item that reaches beyond the store.
package jobs

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Jobs       ops.Jobs
	Users      people.Users
	APIKeys    machines.APIKeys
	Apps       machines.Apps
	Workspaces workspaces.Workspaces
	Rights     workspaces.Rights
}

// Desk takes orders for jobs.
type Desk struct {
	Unit  outbound.Unit[Repos]
	Clock outbound.Clock
	IDs   outbound.IDs
}

// Order are the attributes of a new job.
type Order struct {
	Kind job.Kind
	// OrgID is the workspace that the job is of; empty for the instance.
	OrgID workspace.ID
	// Needs is the permission that it takes, and Superadmin reports whether only one of them may
	// have it done.
	Needs       string
	Superadmin  bool
	ContentType string
	// Params are defined by the kind of work and stored as JSON. Input are the items,
	// in order; if there are none, Total is their number.
	Params any
	Input  [][]byte
	Total  int
	Reason string
}

// Start stores a job for a caller. It fails with job.ErrTooMany.
func (d Desk) Start(ctx context.Context, caller access.Caller, o Order) (job.ID, error) {
	params, err := strictjson.Encode(o.Params)
	if err != nil {
		return "", fmt.Errorf("encode what a job is to do: %w", err)
	}
	made := job.NewID(d.IDs)
	err = d.Unit.Do(ctx, func(tx Repos) error {
		waiting, err := tx.Jobs.Waiting(ctx, o.OrgID)
		switch {
		case err != nil:
			return err
		case waiting >= job.MaxWaiting:
			return job.ErrTooMany
		}
		err = tx.Jobs.Save(ctx, job.New(job.Order{
			ID: made, Kind: o.Kind, OrgID: o.OrgID, Total: max(o.Total, len(o.Input)), ContentType: o.ContentType, Params: params, Reason: o.Reason,
			Maker: job.MakerOf(caller, event.OriginOf(ctx), o.Needs, o.Superadmin),
		}, d.Clock.Now()))
		if err != nil {
			return err
		}
		return tx.Jobs.AddRows(ctx, job.Place{Job: made, Part: job.Input}, o.Input)
	})
	return made, err
}

// Work is the implementation of a kind of job.
type Work struct {
	// Batch is how many items of its input a step gets; 0 for work without input.
	Batch int
	// Step does the next part. Its error undoes the step: one that a client may read ends the
	// job, after any other the step is tried again.
	Step func(ctx context.Context, at StepContext) (job.Step, error)
}

// StepContext are the inputs of a step.
type StepContext struct {
	Job job.Snapshot
	// Caller is the maker with their current permissions.
	Caller access.Caller
	// Input are the items of this step.
	Input [][]byte
	Now   time.Time
}

// Params returns the parameters of the job.
func Params[P any](at StepContext) (params P, err error) {
	if err = strictjson.Decode(at.Job.Params, &params); err != nil {
		err = fmt.Errorf("decode what a job is to do: %w", err)
	}
	return params, err
}
