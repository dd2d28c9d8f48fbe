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
	StreamID   ID           `json:"stream_id" doc:"ID of the audit stream."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for streams of the instance."`
	Name       string       `json:"name" doc:"Name of the stream."`
	StreamKind Kind         `json:"kind" doc:"Protocol of the collector." jsonschema:"enum=http,enum=syslog,enum=splunk_hec"`
}

// Updated is the content of audit_stream.updated.
type Updated struct {
	StreamID ID           `json:"stream_id" doc:"ID of the audit stream."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for streams of the instance."`
	Changed  []string     `json:"changed" doc:"Names of the changed fields."`
}

// Deleted is the content of audit_stream.deleted.
type Deleted struct {
	StreamID ID           `json:"stream_id" doc:"ID of the audit stream."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for streams of the instance."`
}

// WasFailed is the content of audit_stream.failed.
type WasFailed struct {
	StreamID     ID           `json:"stream_id" doc:"ID of the audit stream. Gatehouse keeps retrying."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Not set for streams of the instance."`
	FailingSince time.Time    `json:"failing_since" doc:"When the collector stopped accepting events."`
	Error        string       `json:"error" doc:"Last error."`
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
		{Summary: "An audit stream was created.", Example: Created{stream, org, "siem", Syslog}},
		{Summary: "An audit stream was updated.", Example: Updated{stream, org, []string{"url"}}},
		{Summary: "An audit stream was deleted.", Example: Deleted{stream, org}},
		{Summary: "A collector accepted nothing from an audit stream for an hour.", Example: WasFailed{stream, org, since, "the receiver responded with HTTP status 503"}},
	}
}
