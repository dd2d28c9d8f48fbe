package audit

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
)

// StreamCreateParams are the parameters of AUDIT.STREAM_CREATE.
type StreamCreateParams struct {
	OrgID  workspace.ID       `json:"org_id,omitzero" doc:"ID of the workspace whose log to forward. Defaults to the active workspace, or to the instance if you are a superadmin." example:"-"`
	Name   string             `json:"name" doc:"Name of the stream." jsonschema:"minLength=1,maxLength=100,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=siem"`
	Kind   auditstream.Kind   `json:"kind" doc:"Protocol of the collector. http: posts JSON lines, signed like webhooks. syslog: sends RFC 5424 messages with octet counting. splunk_hec: posts to Splunk's HTTP Event Collector." jsonschema:"enum=http,enum=syslog,enum=splunk_hec,example=http"`
	URL    string             `json:"url" doc:"URL of the collector: https://… or, for syslog, syslog+tls://host:port or syslog+tcp://host:port. Private networks are not allowed." jsonschema:"minLength=1,maxLength=2048,example=https://siem.example.com/gatehouse"`
	Filter auditstream.Filter `json:"filter,omitzero" doc:"Forwards only matching events. Omit to forward all." example:"-"`
	Secret secret.String      `json:"secret,omitzero" doc:"Signing secret for http (whsec_ followed by base64, or any other text), or token for splunk_hec. Required for both. Not used for syslog." jsonschema:"minLength=16,maxLength=256,example=a secret of the collector"`
}

func (s *Service) streamCreate() command.Definition {
	return command.Define(command.Spec[StreamCreateParams, StreamResult]{
		Name:    "AUDIT.STREAM_CREATE",
		Summary: "Forward the event log to a collector.",
		Description: "Creates an audit stream for a workspace or the whole instance. It sends every event from now on, in order and at least once.\n\nA " +
			"workspace can have at most 10 streams. So can the instance.\n\nRequires a sign-in within the last 15 minutes.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{auditstream.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p StreamCreateParams) (result StreamResult, err error) {
			revealed := p.Secret.Reveal()
			if err := s.fit(p.Kind, &p.URL, &revealed, &p.Filter); err != nil {
				return result, err
			}
			begin, err := s.Streams.Last(ctx)
			if err != nil {
				return result, err
			}
			org := bound(call.Caller, p.OrgID)
			made := auditstream.Snapshot{
				ID: auditstream.NewID(s.IDs), OrgID: org, Name: p.Name, Kind: p.Kind, URL: p.URL, Filter: p.Filter, Secret: revealed,
				Progress: auditstream.Progress{Position: int64(begin)},
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				count, err := tx.Streams.Count(ctx, org)
				if err != nil {
					return err
				}
				if count >= auditstream.MaxStreams {
					return auditstream.ErrTooMany
				}
				a, err := auditstream.Open(made, s.now())
				if err != nil {
					return err
				}
				result.Stream = s.shown(a.Snapshot(), time.Time{})
				return tx.Streams.Save(ctx, a)
			})
			return result, err
		},
	})
}
