// Package event is the shared form of everything that happened: one append-only
// record that is audit log and outbox at once (contract section 9). The content
// of an event names identifiers and states, never a secret and never personal
// data: who reads an event looks the person up, so that erasing a person does
// not mean rewriting history.
package event

import (
	"context"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// ErrNotFound refuses an event that there is none of.
var ErrNotFound = fault.New(fault.NotFound, "no such event")

// Kind names what happened, as resource.verb.
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

// Data is the typed content of one event. Its JSON form is what webhooks and
// the audit log show, its struct is what the published schema derives from, and its
// fields are what it is filed under (ConcernOf).
type Data interface{ Kind() Kind }

// Definition describes a kind for the published catalogue.
type Definition struct {
	Summary string
	// Example is a filled content of the kind.
	Example Data
}

// Outcome reports whether what was tried succeeded.
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
	// Altered reports whether somebody changed the content in the store, so that it cannot be
	// read any more: it is left out, and Data is null.
	Altered bool
}

// Origin is where a change comes from: who acted, and through which request.
type Origin struct {
	// ActorKind is "user", "app", "system" or "anonymous".
	ActorKind string
	ActorID   string
	// Credential is the session or the API key that a user acted through.
	Credential string
	IP         string
	UserAgent  string
	RequestID  string
	Command    string
}

type originKey struct{}

// WithOrigin lets everything recorded under the context carry the origin.
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

// Recorder collects the kinds that were stored on behalf of one request. A dry
// run answers them, and the engine compares them with what the command declares.
type Recorder struct{ Kinds []Kind }

type recorderKey struct{}

// WithRecorder lets the store tell the recorder what it wrote under the context.
func WithRecorder(ctx context.Context, w *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, w)
}

// Stored adds the kinds of events that were stored to the recorder of a context, if there is one.
func Stored(ctx context.Context, kinds ...Kind) {
	if w, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		w.Kinds = append(w.Kinds, kinds...)
	}
}
