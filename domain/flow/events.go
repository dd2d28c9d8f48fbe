package flow

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of flows.
const (
	KindCreated  event.Kind = "flow.created"
	KindUpdated  event.Kind = "flow.updated"
	KindDeleted  event.Kind = "flow.deleted"
	KindEnabled  event.Kind = "flow.enabled"
	KindDisabled event.Kind = "flow.disabled"
	KindFailed   event.Kind = "flow.failed"
)

// About are the fields of every event of a flow.
type About struct {
	FlowID  ID           `json:"flow_id" doc:"ID of the flow."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"Workspace of the flow. Omitted if the flow belongs to the instance."`
	Name    Name         `json:"name" doc:"Name of the flow."`
	Trigger Trigger      `json:"trigger" doc:"Trigger that the flow decides about."`
	Version int          `json:"version" doc:"Current version of the flow."`
}

// Created is the content of flow.created.
type Created struct {
	About
}

// Updated is the content of flow.updated.
type Updated struct {
	About

	Changes []string `json:"changes" doc:"Descriptions of the changes."`
}

// Deleted is the content of flow.deleted.
type Deleted struct {
	About
}

// Enabled is the content of flow.enabled.
type Enabled struct {
	About
}

// Disabled is the content of flow.disabled.
type Disabled struct {
	About
}

// RunFailed is the content of flow.failed.
type RunFailed struct {
	About

	RunID RunID  `json:"run_id" doc:"ID of the run."`
	Node  string `json:"node" doc:"ID of the node that failed. Empty if the graph no longer compiles."`
}

func (RunFailed) Kind() event.Kind { return KindFailed }

func (Created) Kind() event.Kind  { return KindCreated }
func (Updated) Kind() event.Kind  { return KindUpdated }
func (Deleted) Kind() event.Kind  { return KindDeleted }
func (Enabled) Kind() event.Kind  { return KindEnabled }
func (Disabled) Kind() event.Kind { return KindDisabled }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	about := About{"flw_01jd7x9k2mf3q8v5t0abcdefgh", "org_01jd7x9k2mf3q8v5t0abcdefgh", "office-hours", Login, 2}
	return []event.Definition{
		{Summary: "A flow was created.", Example: Created{about}},
		{Summary: "The graph or the description of a flow was changed.", Example: Updated{about, []string{"node deny added"}}},
		{Summary: "A flow and its versions were deleted.", Example: Deleted{about}},
		{Summary: "A flow was enabled.", Example: Enabled{about}},
		{Summary: "A flow was disabled.", Example: Disabled{about}},
		{Summary: "An enabled flow could not run and denied the request.", Example: RunFailed{about, "run_01jd7x9k2mf3q8v5t0abcdefgh", "ask"}},
	}
}
