package impersonation

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// DefaultLife is how long an impersonation lasts where nobody says; KeptFor is how long it is kept
// after its time, which is as long as events are by default.
const (
	DefaultLife = 15 * time.Minute
	KeptFor     = 400 * 24 * time.Hour
)

// Errors of impersonations.
var (
	ErrNotFound   = fault.New(fault.NotFound, "no such impersonation")
	ErrSelf       = fault.Invalid("/user_id", "you cannot impersonate yourself")
	ErrSuperadmin = fault.New(fault.Denied, "superadmins cannot be impersonated")
	ErrUnusable   = fault.New(fault.Denied, "disabled accounts cannot be impersonated")
	ErrOff        = fault.New(fault.Denied, "the session policy does not allow impersonating this user: impersonation_minutes is 0")
	ErrNoConsent  = fault.New(fault.Denied, "the session policy requires the user's consent: the user can give it with IMPERSONATION.SET_CONSENT")
	ErrTooLong    = fault.Unfit("/ttl_minutes", "must not exceed impersonation_minutes of the session policy")
)

type idKind struct{}

func (idKind) Prefix() string { return "imp" }

// ID identifies an impersonation.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Reason is why somebody acts as a person, in words that the person is shown.
type Reason string

// UnmarshalText reads a reason as user.Shown does.
func (r *Reason) UnmarshalText(text []byte) error { return user.ReadShown(r, text) }

// SchemaFragment describes the reason in a JSON Schema.
func (Reason) SchemaFragment() map[string]any {
	schema := user.LabelSchema("Ticket 4711: the invoice is not shown")
	schema["maxLength"] = 500
	return schema
}

// End is what ended an impersonation.
type End string

// What ends an impersonation. Those by somebody are told of by impersonation.stopped, the others by
// impersonation.expired.
const (
	ByActor  End = "stopped_by_actor"
	ByPerson End = "stopped_by_user"
	ByAdmin  End = "stopped_by_admin"
	// ByTime is that its time was over, BySession that its session was ended, ByConsent that the
	// person allowed it no more.
	ByTime    End = "time_over"
	BySession End = "session_ended"
	ByConsent End = "consent_withdrawn"
	// ByActorSession is that the session ended which it was started in, ByRights that the actor is
	// disabled, deleted or no superadmin any more, ByUser that the person is disabled or a superadmin.
	ByActorSession End = "actor_session_ended"
	ByRights       End = "actor_not_entitled"
	ByUser         End = "user_not_available"
	// ByPolicy is that the session policy forbids it by now.
	ByPolicy End = "policy_forbids"
)

// SchemaFragment describes the end in a JSON Schema.
func (End) SchemaFragment() map[string]any {
	all := []any{}
	for _, end := range []End{ByActor, ByPerson, ByAdmin, ByTime, BySession, ByConsent, ByActorSession, ByRights, ByUser, ByPolicy} {
		all = append(all, string(end))
	}
	return map[string]any{"type": "string", "enum": all}
}

// Snapshot is the stored state of an impersonation.
type Snapshot struct {
	ID ID
	// UserID is whom ActorID acts as.
	UserID  user.ID
	ActorID user.ID
	// OrgID is the workspace that it began in.
	OrgID workspace.ID
	// SessionID is the impersonated session, ActorSession the session that it was started in.
	SessionID    session.ID
	ActorSession session.ID
	Reason       Reason
	// ReadOnly reports whether nothing may be changed.
	ReadOnly  bool
	StartedAt time.Time
	ExpiresAt time.Time
	EndedAt   time.Time
	EndedBy   End
}

// Active reports whether it goes on at a moment, as far as itself tells.
func (s Snapshot) Active(now time.Time) bool { return s.EndedAt.IsZero() && now.Before(s.ExpiresAt) }

// Impersonation is one person's acting as another.
type Impersonation struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new impersonation.
type Draft struct {
	ID       ID
	Person   user.Snapshot
	Actor    user.ID
	Org      workspace.ID
	Session  session.ID
	Through  session.ID
	Reason   Reason
	ReadOnly bool
	// Life is how long it is to last; 0: DefaultLife, or what the policy allows.
	Life time.Duration
	// AllowedUntil is until when the person allows it; zero: not at all.
	AllowedUntil time.Time
}

// Start begins an impersonation. Where consent is asked for, it ends with that. It fails with ErrSelf,
// ErrSuperadmin, ErrUnusable, ErrOff, ErrTooLong and ErrNoConsent.
func Start(w Draft, rules policy.Session, now time.Time) (*Impersonation, error) {
	most := time.Duration(rules.ImpersonationMinutes) * time.Minute
	switch {
	case w.Person.ID == w.Actor:
		return nil, ErrSelf
	case w.Person.Superadmin:
		return nil, ErrSuperadmin
	case !w.Person.Usable(now):
		return nil, ErrUnusable
	case most <= 0:
		return nil, ErrOff
	case w.Life > most:
		return nil, ErrTooLong
	case rules.ImpersonationConsent && !now.Before(w.AllowedUntil):
		return nil, ErrNoConsent
	}
	if w.Life == 0 {
		w.Life = min(DefaultLife, most)
	}
	until := now.Add(w.Life)
	if rules.ImpersonationConsent && w.AllowedUntil.Before(until) {
		until = w.AllowedUntil
	}
	i := &Impersonation{s: Snapshot{
		ID: w.ID, UserID: w.Person.ID, ActorID: w.Actor, OrgID: w.Org, SessionID: w.Session, ActorSession: w.Through,
		Reason: w.Reason, ReadOnly: w.ReadOnly, StartedAt: now, ExpiresAt: until,
	}}
	i.Raise(Started{i.about(), w.Session, w.ReadOnly, until})
	return i, nil
}

// Restore returns the impersonation that was stored.
func Restore(s Snapshot, version int64) *Impersonation {
	return &Impersonation{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (i *Impersonation) Snapshot() Snapshot { return i.s }

// Ended reports whether it was noted that it ended.
func (i *Impersonation) Ended() bool { return !i.s.EndedAt.IsZero() }

// Stop ends it by somebody; one that has ended stays as it is.
func (i *Impersonation) Stop(by End, now time.Time) {
	if !i.Active(now) {
		return
	}
	i.s.EndedAt, i.s.EndedBy = now, by
	i.Raise(Stopped{i.about(), by})
}

// Active reports whether it goes on at a moment, as far as itself tells.
func (i *Impersonation) Active(now time.Time) bool { return i.s.Active(now) }

// Fall notes that it ended without being stopped, at a time that may have passed; one that has ended
// stays as it is.
func (i *Impersonation) Fall(by End, at time.Time) {
	if i.Ended() {
		return
	}
	i.s.EndedAt, i.s.EndedBy = at, by
	i.Raise(Expired{i.about(), by, at})
}

// Until makes it end at a time, unless it ends before.
func (i *Impersonation) Until(end time.Time) {
	if end.Before(i.s.ExpiresAt) {
		i.s.ExpiresAt = end
	}
}

func (i *Impersonation) about() About {
	return About{ImpersonationID: i.s.ID, UserID: i.s.UserID, ActorID: i.s.ActorID, OrgID: i.s.OrgID}
}
