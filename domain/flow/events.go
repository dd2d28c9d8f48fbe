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
	FlowID  ID           `json:"flow_id" doc:"The flow."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	Name    Name         `json:"name" doc:"Its name."`
	Trigger Trigger      `json:"trigger" doc:"What it decides about."`
	Version int          `json:"version" doc:"Its current version."`
}

// Created is the content of flow.created.
type Created struct {
	About
}

// Updated is the content of flow.updated.
type Updated struct {
	About

	Changes []string `json:"changes" doc:"What changed."`
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

	RunID RunID  `json:"run_id" doc:"The run."`
	Node  string `json:"node" doc:"Node that failed; empty where the graph does not compile any more."`
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
		{Summary: "A flow was defined.", Example: Created{about}},
		{Summary: "The graph or the description of a flow was changed.", Example: Updated{about, []string{"node deny added"}}},
		{Summary: "A flow was deleted with its versions.", Example: Deleted{about}},
		{Summary: "A flow was switched on: it decides from now on.", Example: Enabled{about}},
		{Summary: "A flow was switched off.", Example: Disabled{about}},
		{Summary: "A flow that is in force could not run: it denied.", Example: RunFailed{about, "run_01jd7x9k2mf3q8v5t0abcdefgh", "ask"}},
	}
}
