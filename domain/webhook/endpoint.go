package webhook

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

const (
	// MaxEndpoints is how many endpoints a workspace, or the instance, may have.
	MaxEndpoints = 100
	// MaxSecrets is how many secrets of an endpoint sign at once.
	MaxSecrets = 5
)

// Errors of endpoints.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such webhook endpoint")
	ErrTooMany  = fault.LimitReached("webhook endpoint", MaxEndpoints, "delete unused endpoints")
	ErrHeaders  = fault.Unfit("/headers", "are required when the URL's host changes: stored header values are not sent to a new host")
	ErrSecrets  = fault.LimitReached("signing secret", MaxSecrets, "wait until an overlap ends, or rotate with overlap_hours 0")
)

type idKind struct{}

func (idKind) Prefix() string { return "whk" }

// ID identifies an endpoint.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Why endpoints are switched off.
const (
	ByPerson  = "switched_off"
	ByGone    = "gone"
	ByFailing = "failing"
)

// Secret is a key that signs until a time, unset for the newest.
type Secret struct {
	Key   []byte
	Until time.Time `json:",omitzero"`
}

// Snapshot is the stored state of an endpoint.
type Snapshot struct {
	ID ID `audit:"id"`
	// OrgID is the workspace that it belongs to; empty for the instance.
	OrgID       workspace.ID
	URL         string       `audit:"url"`
	Events      []event.Kind `audit:"events"`
	Description string       `audit:"description"`
	Headers     map[string]string
	// RateLimit is how many messages a second it takes; 0 is any number.
	RateLimit int  `audit:"rate_limit"`
	Enabled   bool `audit:"enabled"`
	// Disabled is why it is not enabled.
	Disabled string `audit:"disabled"`
	// Secrets are the newest first.
	Secrets              []Secret
	CreatedAt, UpdatedAt time.Time
	Health
}

// Health is the delivery status of an endpoint. It is stored by the sender,
// independently of the endpoint's version.
type Health struct {
	// Streak is how many attempts failed since the last that succeeded, FailingSince when the
	// first of those was.
	Streak       int
	FailingSince time.Time
}

// Endpoint is an address that receives events.
type Endpoint struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new endpoint.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	URL         string
	Events      []event.Kind
	Description string
	Headers     map[string]string
	RateLimit   int
	Secret      []byte
}

// New makes an enabled endpoint.
func New(d Draft, now time.Time) *Endpoint {
	e := &Endpoint{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, URL: d.URL, Events: wanted(d.Events), Description: d.Description, Headers: d.Headers,
		RateLimit: d.RateLimit, Enabled: true, Secrets: []Secret{{Key: d.Secret}}, CreatedAt: now, UpdatedAt: now,
	}}
	e.Track(&e.s)
	e.Raise(Created{WebhookID: d.ID, OrgID: d.OrgID, Events: e.s.Events})
	return e
}

// wanted are kinds in order, each once; all where none is named.
func wanted(kinds []event.Kind) []event.Kind {
	if len(kinds) == 0 || slices.Contains(kinds, All) {
		return []event.Kind{All}
	}
	kinds = slices.Sorted(slices.Values(kinds))
	return slices.Compact(kinds)
}

// All matches every kind.
const All event.Kind = "*"

// Restore returns the endpoint that was stored.
func Restore(s Snapshot, version int64) *Endpoint {
	e := &Endpoint{Root: aggregate.At(version), s: s}
	e.Track(&e.s)
	return e
}

// Snapshot returns the state to store.
func (e *Endpoint) Snapshot() Snapshot { return e.s }

// Change is a partial update of an endpoint; nil fields stay unchanged.
type Change struct {
	URL         *string
	Events      []event.Kind
	Enabled     *bool
	Description *string
	Headers     map[string]string
	RateLimit   *int
}

// SameReceiver reports whether two addresses are of one scheme and host.
func SameReceiver(one, other string) bool {
	a, err := url.Parse(one)
	if err != nil {
		return false
	}
	b, err := url.Parse(other)
	return err == nil && a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// Update changes an endpoint. What stays the same raises nothing. It fails with ErrHeaders.
func (e *Endpoint) Update(c Change, now time.Time) error {
	if c.URL != nil && c.Headers == nil && len(e.s.Headers) > 0 && !SameReceiver(*c.URL, e.s.URL) {
		return ErrHeaders
	}
	var changed aggregate.Changes
	aggregate.Put(&changed, "url", &e.s.URL, c.URL)
	if c.Events != nil {
		aggregate.PutList(&changed, "events", &e.s.Events, wanted(c.Events))
	}
	if aggregate.Put(&changed, "enabled", &e.s.Enabled, c.Enabled) {
		e.s.Disabled, e.s.Health = ByPerson, Health{}
		if e.s.Enabled {
			e.s.Disabled = ""
		}
	}
	aggregate.Put(&changed, "description", &e.s.Description, c.Description)
	if c.Headers != nil && !maps.Equal(c.Headers, e.s.Headers) {
		e.s.Headers = c.Headers
		changed.Note("headers", true)
	}
	aggregate.Put(&changed, "rate_limit", &e.s.RateLimit, c.RateLimit)
	if changed == nil {
		return nil
	}
	e.s.UpdatedAt = now
	e.Raise(Updated{WebhookID: e.s.ID, OrgID: e.s.OrgID, Changed: changed})
	return nil
}

// RotateSecret adds a new secret; the previous one signs as well during the overlap. It
// returns until when, and fails with ErrSecrets.
func (e *Endpoint) RotateSecret(key []byte, overlap time.Duration, now time.Time) (until time.Time, err error) {
	live := e.s.Live(now)
	live[0].Until = now.Add(overlap)
	if overlap == 0 {
		live = nil
	}
	if len(live) >= MaxSecrets {
		return until, ErrSecrets
	}
	e.s.Secrets, e.s.UpdatedAt = append([]Secret{{Key: key}}, live...), now
	e.Raise(SecretRotated{WebhookID: e.s.ID, OrgID: e.s.OrgID, OverlapUntil: now.Add(overlap)})
	return now.Add(overlap), nil
}

// Live returns the secrets that sign at a time, the newest first.
func (s Snapshot) Live(now time.Time) []Secret {
	return slices.DeleteFunc(slices.Clone(s.Secrets), func(one Secret) bool { return !one.Until.IsZero() && !now.Before(one.Until) })
}

// Delete ends the endpoint. It is for the store to remove it.
func (e *Endpoint) Delete() { e.Raise(Deleted{WebhookID: e.s.ID, OrgID: e.s.OrgID}) }

// Disable switches an enabled endpoint off by itself.
func (e *Endpoint) Disable(why string, now time.Time) {
	if !e.s.Enabled {
		return
	}
	e.s.Enabled, e.s.Disabled, e.s.UpdatedAt = false, why, now
	e.Raise(AutoDisabled{WebhookID: e.s.ID, OrgID: e.s.OrgID, Reason: why, FailingSince: e.s.FailingSince})
}

// Wants reports whether the endpoint subscribes to a kind.
func (s Snapshot) Wants(kind event.Kind) bool {
	return slices.ContainsFunc(s.Events, func(pattern event.Kind) bool { return slices.Contains(Patterns(kind), pattern) })
}

// Patterns returns those that a kind is wanted by.
func Patterns(kind event.Kind) []event.Kind {
	resource, _, _ := strings.Cut(string(kind), ".")
	return []event.Kind{All, kind, event.Kind(resource) + "." + All}
}
