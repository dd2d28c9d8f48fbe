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
	StreamID auditstream.ID      `json:"stream_id" doc:"The stream."`
	Name     *string             `json:"name,omitzero" doc:"Its name." jsonschema:"minLength=1,maxLength=100,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=siem"`
	URL      *string             `json:"url,omitzero" doc:"The collector, of the same kind." jsonschema:"minLength=1,maxLength=2048,example=https://siem.example.com/gatehouse"`
	Filter   *auditstream.Filter `json:"filter,omitzero" doc:"Only events that match, in place of the filter before; {} is all." example:"-"`
	Secret   *secret.String      `json:"secret,omitzero" doc:"What http is signed by, or the token of splunk_hec, from now on. Needed with an address of another host for splunk_hec: the token before is not sent there." jsonschema:"minLength=16,maxLength=256" example:"-"`
	Enabled  *bool               `json:"enabled,omitzero" doc:"Whether anything is sent." example:"-"`
}

func (s *Service) streamUpdate() command.Definition {
	return command.Define(command.Spec[StreamUpdateParams, StreamResult]{
		Name:    "AUDIT.STREAM_UPDATE",
		Summary: "Change a stream of the log, or switch it on or off; what is absent stays.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{auditstream.KindUpdated},
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
