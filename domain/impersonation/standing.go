package impersonation

import (
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// Standing is an impersonation with what it rests on, as it is at a moment.
type Standing struct {
	Snapshot

	// Person and Actor are the accounts of both; the zero value is one that is gone.
	Person, Actor Party
	// AllowedUntil is the consent of the person; zero where there is none.
	AllowedUntil time.Time
	// Session is the impersonated session and StartedIn the one that it was started in; the zero
	// value is one that is gone.
	Session, StartedIn session.Snapshot
}

// Party is an account as far as an impersonation depends on it.
type Party struct {
	user.Availability

	Exists     bool
	Superadmin bool
}

func (p Party) usable(now time.Time) bool { return p.Exists && p.Usable(now) }

// Forbidden reports whether the session policy of the person, as it is by now, forbids what goes
// on: impersonations end when it lets none last as long, or asks for a consent that is missing.
func (s *Standing) Forbidden(rules policy.Session, now time.Time) bool {
	most := time.Duration(rules.ImpersonationMinutes) * time.Minute
	return most <= 0 || !now.Before(s.StartedAt.Add(most)) || rules.ImpersonationConsent && !now.Before(s.AllowedUntil)
}

// Fallen returns what ended it by a moment, "" while it stands.
func (s *Standing) Fallen(now time.Time) End {
	switch {
	case !s.EndedAt.IsZero():
		return s.EndedBy
	case s.Session.EndReason == session.ByConsent:
		return ByConsent
	case !now.Before(s.ExpiresAt):
		return ByTime
	case !s.Actor.usable(now) || !s.Actor.Superadmin:
		return ByRights
	case !s.Person.usable(now) || s.Person.Superadmin:
		return ByUser
	case !s.StartedIn.Active(now):
		return ByActorSession
	case !s.Session.Active(now):
		return BySession
	}
	return ""
}
