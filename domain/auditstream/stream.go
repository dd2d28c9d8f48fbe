// Package auditstream is the model of streams, which forward the event log to a collector such
// as a SIEM: each follows the feed by itself, and sends every event at least once, in order.
package auditstream

import (
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

const (
	// MaxStreams is how many streams a workspace, or the instance, may have.
	MaxStreams = 10
	// Lease is how long a sender leases the stream: longer than a batch takes.
	Lease = time.Minute
	// tellAfter is how long a stream must fail before an event reports it.
	tellAfter = time.Hour
	// The pauses after batches that failed double from firstPause to longestPause.
	firstPause   = 5 * time.Second
	longestPause = 10 * time.Minute
)

// Errors of streams.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such audit stream")
	ErrTooMany  = fault.LimitReached("audit stream", MaxStreams, "delete unused streams")
	ErrSecret   = fault.Unfit("/secret", "is required: http streams are signed with it, and splunk_hec uses it as the token")
	ErrToken    = fault.Unfit("/secret", "is required when the URL's host changes: the stored secret is not sent to a new host")
)

type idKind struct{}

func (idKind) Prefix() string { return "ast" }

// ID identifies a stream.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Kind is how a collector is spoken to.
type Kind string

// The kinds of streams.
const (
	// HTTP posts JSON lines, signed as Standard Webhooks are.
	HTTP Kind = "http"
	// Syslog sends messages of RFC 5424 over TCP or TLS with octet counting (RFC 6587, RFC 5425).
	Syslog Kind = "syslog"
	// Splunk posts to the HTTP Event Collector.
	Splunk Kind = "splunk_hec"
)

// Filter narrows a stream; zero values do not narrow.
type Filter struct {
	Types   []event.Kind  `json:"types,omitzero" audit:"types" doc:"Includes only these event types: names, or resource.* for all types of a resource." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=100,example=login.*"`
	Outcome event.Outcome `json:"outcome,omitzero" audit:"outcome" doc:"Includes only successful or only failed actions." jsonschema:"enum=success,enum=failure"`
}

// Takes reports whether an event is among those wanted.
func (f Filter) Takes(r event.Record) bool {
	if f.Outcome != "" && f.Outcome != r.Outcome {
		return false
	}
	resource, _, _ := strings.Cut(string(r.Kind), ".")
	return len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(wanted event.Kind) bool {
		return wanted == r.Kind || wanted == "*" || string(wanted) == resource+".*"
	})
}

// Snapshot is the stored state of a stream.
type Snapshot struct {
	ID ID `audit:"id"`
	// OrgID is the workspace whose events are sent; empty for all.
	OrgID                workspace.ID
	Name                 string `audit:"name"`
	Kind                 Kind   `audit:"kind"`
	URL                  string `audit:"url"`
	Filter               Filter `audit:"filter"`
	Secret               string `audit:"-"`
	Enabled              bool   `audit:"enabled"`
	CreatedAt, UpdatedAt time.Time
	Progress
}

// Progress is how far a stream is.
type Progress struct {
	// Position is that in the feed up to which everything was sent.
	Position int64
	// Turn counts the leases; DueAt is when the next batch is sent, or the lease ends.
	Turn   int
	DueAt  time.Time
	SentAt time.Time
	// Failures are batches since the last that was taken, FailingSince when the first of them was.
	Failures     int
	FailingSince time.Time
	LastError    string
	// FailureReported reports whether an event has reported the failure.
	FailureReported bool
}

// Stream is one stream.
type Stream struct {
	aggregate.Root
	s Snapshot
}

// Open creates a stream of the events after a position. It fails with ErrSecret.
func Open(s Snapshot, now time.Time) (*Stream, error) {
	if s.Kind != Syslog && s.Secret == "" {
		return nil, ErrSecret
	}
	s.Enabled, s.CreatedAt, s.UpdatedAt, s.DueAt = true, now, now, now
	a := &Stream{s: s}
	a.Track(&a.s)
	a.Raise(Created{StreamID: s.ID, OrgID: s.OrgID, Name: s.Name, StreamKind: s.Kind})
	return a, nil
}

// Restore returns the stream that was stored.
func Restore(s Snapshot, version int64) *Stream {
	a := &Stream{Root: aggregate.At(version), s: s}
	a.Track(&a.s)
	return a
}

// Snapshot returns the state to store.
func (a *Stream) Snapshot() Snapshot { return a.s }

// Change is a partial update of a stream; nil fields stay unchanged.
type Change struct {
	Name, URL, Secret *string
	Filter            *Filter
	Enabled           *bool
}

// Update changes a stream. Whatever changes, it is tried again at once. It fails with
// ErrToken, and like Open with ErrSecret.
func (a *Stream) Update(c Change, now time.Time) error {
	if a.s.Kind != Syslog && c.Secret != nil && *c.Secret == "" {
		return ErrSecret
	}
	if a.s.Kind == Splunk && c.URL != nil && c.Secret == nil && !webhook.SameReceiver(*c.URL, a.s.URL) {
		return ErrToken
	}
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &a.s.Name, c.Name)
	aggregate.Put(&changed, "url", &a.s.URL, c.URL)
	aggregate.Put(&changed, "secret", &a.s.Secret, c.Secret)
	aggregate.Put(&changed, "enabled", &a.s.Enabled, c.Enabled)
	if f := c.Filter; f != nil && (f.Outcome != a.s.Filter.Outcome || !slices.Equal(f.Types, a.s.Filter.Types)) {
		a.s.Filter, changed = *f, append(changed, "filter")
	}
	if len(changed) == 0 {
		return nil
	}
	a.s.UpdatedAt, a.s.DueAt = now, now
	a.Raise(Updated{StreamID: a.s.ID, OrgID: a.s.OrgID, Changed: changed})
	return nil
}

// Delete ends the stream. It is for the store to remove it.
func (a *Stream) Delete() { a.Raise(Deleted{StreamID: a.s.ID, OrgID: a.s.OrgID}) }

// Take leases the stream to send a batch; it returns false if none is due.
func (a *Stream) Take(now time.Time) bool {
	if !a.s.Enabled || now.Before(a.s.DueAt) {
		return false
	}
	a.s.Turn, a.s.DueAt = a.s.Turn+1, now.Add(Lease)
	return true
}

// Sent notes that everything up to a position was taken, unless the turn is over; more
// reports whether there is something behind it.
func (a *Stream) Sent(turn int, position int64, more bool, now time.Time) bool {
	if a.s.Turn != turn {
		return false
	}
	a.s.Progress = Progress{Position: position, Turn: turn, DueAt: now, SentAt: now}
	if !more {
		a.s.DueAt = now.Add(time.Second)
	}
	return true
}

// Failed records a failed batch and its reason. After an hour of failures it raises an
// event.
func (a *Stream) Failed(turn int, why string, now time.Time) bool {
	if a.s.Turn != turn {
		return false
	}
	if a.s.Failures == 0 {
		a.s.FailingSince = now
	}
	a.s.Failures++
	a.s.LastError = why
	a.s.DueAt = now.Add(min(longestPause, firstPause<<min(a.s.Failures-1, 10)))
	if !a.s.FailureReported && now.Sub(a.s.FailingSince) >= tellAfter {
		a.s.FailureReported = true
		a.Raise(WasFailed{StreamID: a.s.ID, OrgID: a.s.OrgID, FailingSince: a.s.FailingSince, Error: why})
	}
	return true
}
