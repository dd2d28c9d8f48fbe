// Package event defines events: append-only records that are both audit log and outbox
// (contract section 9). The content of an event consists of identifiers and states,
// without secrets and personal data: readers look up the person, so that erasing a
// person does not require rewriting events.
package event

import (
	"context"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// ErrNotFound is returned if the event does not exist.
var ErrNotFound = fault.New(fault.NotFound, "no such event")

// Kind is the kind of an event, as resource.verb.
type Kind string

type idKind struct{}

func (idKind) Prefix() string { return "evt" }

// ID identifies an event and sorts by its creation.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// EarliestID returns the least identifier that is minted in the millisecond of a moment.
func EarliestID(moment time.Time) ID { return id.Earliest[idKind](moment) }

// ParseID reads an identifier; it fails with id.ErrMalformed.
func ParseID(text string) (ID, error) { return id.Parse[idKind](text) }

// Data is the typed content of an event. Its JSON form is the payload of webhooks and
// the audit log, the published schema derives from the struct, and the event is filed
// under its fields (ConcernOf).
type Data interface{ Kind() Kind }

// Definition describes a kind for the published catalog.
type Definition struct {
	Summary string
	// Example is a filled content of the kind.
	Example Data
}

// Outcome reports whether the action succeeded.
type Outcome string

// The two outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
)

// Record is a stored event.
type Record struct {
	ID      ID
	Kind    Kind
	At      time.Time
	Outcome Outcome
	UserID  string
	OrgID   string
	Origin  Origin
	// Data is the content as JSON.
	Data []byte
	// Altered reports whether the content in the store was manipulated and cannot be
	// read; Data is then null.
	Altered bool
}

// Origin is the origin of a change: the actor, and the request.
type Origin struct {
	// ActorKind is "user", "app", "system" or "anonymous".
	ActorKind string
	ActorID   string
	// OnBehalfOf is the person whom a user acted as; empty where nobody acts as another.
	OnBehalfOf string `json:",omitzero"`
	// Credential is the session or the API key that a user acted through.
	Credential string
	IP         string
	UserAgent  string
	RequestID  string
	Command    string
}

type originKey struct{}

// WithOrigin returns a context whose events have an origin.
func WithOrigin(ctx context.Context, origin Origin) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// OriginOf returns the origin of a context; without one the service itself acts.
func OriginOf(ctx context.Context) Origin {
	origin, ok := ctx.Value(originKey{}).(Origin)
	if !ok {
		return Origin{ActorKind: "system"}
	}
	return origin
}

// Recorder collects the event kinds stored for a request. A dry run returns them, and
// the engine compares them with the declaration of the command.
type Recorder struct{ Kinds []Kind }

type recorderKey struct{}

// WithRecorder returns a context in which the store reports stored kinds to the
// recorder.
func WithRecorder(ctx context.Context, w *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, w)
}

// Stored adds the kinds of events that were stored to the recorder of a context, if there is one.
func Stored(ctx context.Context, kinds ...Kind) {
	if w, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		w.Kinds = append(w.Kinds, kinds...)
	}
}
