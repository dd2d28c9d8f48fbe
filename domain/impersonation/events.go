package impersonation

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of impersonations.
const (
	KindStarted    event.Kind = "impersonation.started"
	KindStopped    event.Kind = "impersonation.stopped"
	KindExpired    event.Kind = "impersonation.expired"
	KindConsentSet event.Kind = "impersonation.consent_set"
)

// About is what every event of an impersonation says.
type About struct {
	ImpersonationID ID           `json:"impersonation_id" doc:"ID of the impersonation."`
	UserID          user.ID      `json:"user_id" doc:"User who is impersonated."`
	ActorID         user.ID      `json:"actor_id" doc:"User who impersonates."`
	OrgID           workspace.ID `json:"org_id" doc:"Workspace that the impersonation started in."`
}

// Started is the content of impersonation.started.
type Started struct {
	About

	SessionID session.ID `json:"session_id" doc:"Session of the impersonation."`
	ReadOnly  bool       `json:"read_only" doc:"Whether nothing can be changed."`
	ExpiresAt time.Time  `json:"expires_at" doc:"When the impersonation expires at the latest."`
}

// Stopped is the content of impersonation.stopped.
type Stopped struct {
	About

	By End `json:"ended_by" doc:"Party that stopped the impersonation."`
}

// Expired is the content of impersonation.expired.
type Expired struct {
	About

	By      End       `json:"ended_by" doc:"Cause of the end."`
	EndedAt time.Time `json:"ended_at" doc:"When the impersonation ended, or when its end was noticed."`
}

// ConsentSet is the content of impersonation.consent_set.
type ConsentSet struct {
	UserID       user.ID    `json:"user_id" doc:"User who gave or withdrew consent."`
	AllowedUntil *time.Time `json:"allowed_until" doc:"Until when support can impersonate the user. Null if consent was withdrawn."`
}

func (Started) Kind() event.Kind    { return KindStarted }
func (Stopped) Kind() event.Kind    { return KindStopped }
func (Expired) Kind() event.Kind    { return KindExpired }
func (ConsentSet) Kind() event.Kind { return KindConsentSet }

// Ends returns when the impersonation ends by itself.
func (e Started) Ends() time.Time { return e.ExpiresAt }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	at := time.Date(2026, time.November, 27, 12, 0, 0, 0, time.UTC)
	about := About{
		"imp_01jd7x9k2mf3q8v5t0abcdefgh", "usr_01jd7x9k2mf3q8v5t0abcdefgh", "usr_01jd7x9k2mf3q8v5t0abcdefgj", "org_01jd7x9k2mf3q8v5t0abcdefgh",
	}
	return []event.Definition{
		{Summary: "An impersonation was started.", Example: Started{about, "ses_01jd7x9k2mf3q8v5t0abcdefgh", true, at}},
		{Summary: "An impersonation was stopped.", Example: Stopped{about, ByPerson}},
		{Summary: "An impersonation expired, or ended because a session, right or consent it depends on ended.", Example: Expired{about, ByTime, at}},
		{Summary: "A user gave or withdrew consent for support to impersonate them.", Example: ConsentSet{about.UserID, &at}},
	}
}
