package flow

import (
	"encoding/json"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

type runIDKind struct{}

func (runIDKind) Prefix() string { return "run" }

// RunID identifies a run.
type RunID = id.ID[runIDKind]

// NewRunID mints an identifier.
func NewRunID(m id.Minter) RunID { return id.New[runIDKind](m) }

// ErrNoRun is returned if the run does not exist.
var ErrNoRun = fault.New(fault.NotFound, "no such flow run")

// Run is one execution of a flow.
type Run struct {
	ID     RunID
	FlowID ID
	// OrgID is the workspace of the flow; empty: the instance.
	OrgID   workspace.ID
	Name    Name
	Version int
	Trigger Trigger
	// User is the person concerned; empty if unknown.
	User     user.ID
	Decision Decision
	At       time.Time
	Took     time.Duration
	Content  RunContent
}

// RunContent is the encrypted part of a stored run.
type RunContent struct {
	Reason string `json:"reason,omitzero"`
	Node   string `json:"node,omitzero"`
	Trace  []Step `json:"trace"`
	// Claims are the names of those that it set.
	Claims []string `json:"claims,omitzero"`
	// Context is the context that the run read.
	Context map[string]json.RawMessage `json:"context"`
}
