package audit

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
)

// StreamUpdateParams are the parameters of AUDIT.STREAM_UPDATE.
type StreamUpdateParams struct {
	StreamID auditstream.ID      `json:"stream_id" doc:"ID of the audit stream."`
	Name     *string             `json:"name,omitzero" doc:"New name of the stream. Omit to keep the current value." jsonschema:"minLength=1,maxLength=100,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=siem"`
	URL      *string             `json:"url,omitzero" doc:"New URL of the collector, which must be of the same kind. Omit to keep the current value." jsonschema:"minLength=1,maxLength=2048,example=https://siem.example.com/gatehouse"`
	Filter   *auditstream.Filter `json:"filter,omitzero" doc:"New filter, replacing the current one. Use {} to forward all events. Omit to keep the current value." example:"-"`
	Secret   *secret.String      `json:"secret,omitzero" doc:"New signing secret for http, or token for splunk_hec. For splunk_hec, required if url names another host: the current token is not sent there. Omit to keep the current value." jsonschema:"minLength=16,maxLength=256" example:"-"`
	Enabled  *bool               `json:"enabled,omitzero" doc:"Whether the stream sends events. Omit to keep the current value." example:"-"`
}

func (s *Service) streamUpdate() command.Definition {
	return command.Define(command.Spec[StreamUpdateParams, StreamResult]{
		Name:        "AUDIT.STREAM_UPDATE",
		Summary:     "Update, enable or disable an audit stream.",
		Description: "Omitted fields keep their values. Any change makes the stream try again at once.\n\nRequires a sign-in within the last 15 minutes.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{auditstream.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p StreamUpdateParams) (result StreamResult, err error) {
			change := auditstream.Change{Name: p.Name, URL: p.URL, Filter: p.Filter, Enabled: p.Enabled}
			if p.Secret != nil {
				revealed := p.Secret.Reveal()
				change.Secret = &revealed
			}
			var changed auditstream.Snapshot
			err = s.Unit.Do(ctx, func(tx Repos) error {
				a, err := held(ctx, tx, call.Caller, p.StreamID)
				if err == nil {
					err = s.update(a, change)
				}
				if err != nil {
					return err
				}
				if changed = a.Snapshot(); !a.Changed() {
					return nil
				}
				return tx.Streams.Save(ctx, a)
			})
			if err != nil {
				return result, err
			}
			next, err := s.Streams.Next(ctx, changed)
			result.Stream = s.shown(changed, next)
			return result, err
		},
	})
}

// update changes a stream, unless nothing could come of it.
func (s *Service) update(a *auditstream.Stream, change auditstream.Change) error {
	if err := s.fit(a.Snapshot().Kind, change.URL, change.Secret, change.Filter); err != nil {
		return err
	}
	return a.Update(change, s.now())
}
