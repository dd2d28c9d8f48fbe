package audit

import (
	"context"
	"strings"
	"time"

	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// writing is the permission to forward a workspace's log.
const writing = "audit:write"

// Stream is a stream in results.
type Stream struct {
	ID           auditstream.ID     `json:"id" doc:"ID of the audit stream."`
	OrgID        *workspace.ID      `json:"org_id" doc:"ID of the workspace whose events are sent. Null if all events are sent."`
	Name         string             `json:"name" doc:"Name of the stream."`
	Kind         auditstream.Kind   `json:"kind" doc:"Protocol of the collector." jsonschema:"enum=http,enum=syslog,enum=splunk_hec"`
	URL          string             `json:"url" doc:"URL of the collector."`
	Filter       auditstream.Filter `json:"filter" doc:"Filter of the events to send. {} matches all events."`
	Enabled      bool               `json:"enabled" doc:"Whether the stream sends events. A stream that is enabled again continues where it stopped, as far as events are still kept."`
	LagSeconds   int                `json:"lag_seconds" doc:"Age of the oldest event not yet sent. Seconds. 0 if all events were sent."`
	LastSentAt   *time.Time         `json:"last_sent_at" doc:"When the collector last accepted events. Null if it never did."`
	FailingSince *time.Time         `json:"failing_since" doc:"When the collector stopped accepting events. Null if it accepts them."`
	LastError    *string            `json:"last_error" doc:"Last error since the collector accepted events. Null if there is none."`
	CreatedAt    time.Time          `json:"created_at" doc:"When the stream was created."`
	UpdatedAt    time.Time          `json:"updated_at" doc:"When the stream was last changed."`
}

// StreamResult is the result of commands that change a stream.
type StreamResult struct {
	Stream Stream `json:"stream" doc:"The audit stream."`
}

func (s *Service) shown(a auditstream.Snapshot, next time.Time) Stream {
	shown := Stream{
		ID: a.ID, OrgID: view.Text(a.OrgID), Name: a.Name, Kind: a.Kind, URL: a.URL, Filter: a.Filter, Enabled: a.Enabled,
		LastSentAt: moment(a.SentAt), FailingSince: moment(a.FailingSince), LastError: view.Text(a.LastError),
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
	if !next.IsZero() {
		shown.LagSeconds = max(0, int(s.Clock.Now().Sub(next)/time.Second))
	}
	return shown
}

// moment returns a time that may be absent.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// bound returns the workspace whose log a caller means; "" is that of the instance, which superadmins
// mean where they name no workspace.
func bound(caller access.Caller, named workspace.ID) workspace.ID {
	if caller.Superadmin {
		return named
	}
	return caller.Org
}

// held reads a stream to change it; it fails with auditstream.ErrNotFound for one of others.
func held(ctx context.Context, tx Repos, caller access.Caller, id auditstream.ID) (*auditstream.Stream, error) {
	a, err := tx.Streams.ByID(ctx, id)
	if err == nil && !caller.Sees(a.Snapshot().OrgID) {
		err = auditstream.ErrNotFound
	}
	return a, err
}

// fit fails for an address, a secret or a filter that nothing could come of.
func (s *Service) fit(kind auditstream.Kind, address, secret *string, filter *auditstream.Filter) error {
	if address != nil {
		if err := s.Shipper.CheckStream(kind, *address); err != nil {
			return fault.Unfit("/url", err.Error())
		}
	}
	if err := fitSecret(kind, secret); err != nil || filter == nil {
		return err
	}
	_, err := s.Kinds().Expand("/filter/types", filter.Types)
	return err
}

// fitSecret fails for a secret that cannot sign, or that is no value of a header.
func fitSecret(kind auditstream.Kind, secret *string) error {
	switch {
	case secret == nil:
		return nil
	case kind == auditstream.HTTP:
		_, err := webhook.ParseSecret(*secret)
		return err
	case kind == auditstream.Splunk && strings.ContainsFunc(*secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fault.Unfit("/secret", "must be a token of printable ASCII characters without spaces")
	}
	return nil
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }

// example returns what a stream is tried with.
func (s *Service) example(a auditstream.Snapshot) event.Record {
	return event.Record{
		ID: event.NewID(s.IDs), Kind: auditstream.KindUpdated, At: s.now(), Outcome: event.Success, OrgID: a.OrgID.String(),
		Origin: event.Origin{ActorKind: "system", Command: "AUDIT.STREAM_TEST"}, Data: []byte(`{"stream_id":"` + a.ID.String() + `","changed":[]}`),
	}
}
