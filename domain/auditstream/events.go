package auditstream

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of streams.
const (
	KindCreated event.Kind = "audit_stream.created"
	KindUpdated event.Kind = "audit_stream.updated"
	KindDeleted event.Kind = "audit_stream.deleted"
	KindFailed  event.Kind = "audit_stream.failed"
)

// Created is the content of audit_stream.created.
type Created struct {
	StreamID   ID           `json:"stream_id" doc:"The new stream."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	Name       string       `json:"name" doc:"Its name."`
	StreamKind Kind         `json:"kind" doc:"How the collector is spoken to." jsonschema:"enum=http,enum=syslog,enum=splunk_hec"`
}

// Updated is the content of audit_stream.updated.
type Updated struct {
	StreamID ID           `json:"stream_id" doc:"The stream."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	Changed  []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of audit_stream.deleted.
type Deleted struct {
	StreamID ID           `json:"stream_id" doc:"The stream that is gone."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
}

// WasFailed is the content of audit_stream.failed.
type WasFailed struct {
	StreamID     ID           `json:"stream_id" doc:"The stream; it is tried on."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Its workspace; absent: the instance."`
	FailingSince time.Time    `json:"failing_since" doc:"Since when nothing was taken."`
	Error        string       `json:"error" doc:"What went wrong last."`
}

func (Created) Kind() event.Kind   { return KindCreated }
func (Updated) Kind() event.Kind   { return KindUpdated }
func (Deleted) Kind() event.Kind   { return KindDeleted }
func (WasFailed) Kind() event.Kind { return KindFailed }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		stream = ID("ast_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	since := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	return []event.Definition{
		{Summary: "Somebody began to forward the event log to a collector.", Example: Created{stream, org, "siem", Syslog}},
		{Summary: "Somebody changed a stream of the event log.", Example: Updated{stream, org, []string{"url"}}},
		{Summary: "Somebody removed a stream of the event log.", Example: Deleted{stream, org}},
		{Summary: "A collector took nothing of a stream for an hour.", Example: WasFailed{stream, org, since, "the receiver answered 503"}},
	}
}
