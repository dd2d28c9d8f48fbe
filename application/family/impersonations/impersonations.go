// Package impersonations is the family IMPERSONATION: support that acts as a person, with a trace
// and, where the policy asks for it, with their consent.
package impersonations

import (
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/token"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// acting is the permission to act as other people. It reaches across workspaces.
const acting = "users:impersonate"

// Repos holds the repositories of one unit of work.
type Repos struct {
	Impersonations people.Impersonations
	Sessions       people.Sessions
	Users          people.Users
	Entrants       signin.Entrants
	Events         outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory people.ImpersonationDirectory
	Login     *login.Service
	Policies  account.Policies
	Access    *token.Access
	Books     *rolegrant.Books
	Clock     outbound.Clock
	IDs       outbound.IDs
	Cursors   page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.start(),
		s.stop(),
		s.list(),
		s.setConsent(),
	}
}

// Impersonation is an impersonation in results.
type Impersonation struct {
	ID        impersonation.ID     `json:"id" doc:"ID of the impersonation."`
	UserID    user.ID              `json:"user_id" doc:"User who is impersonated."`
	ActorID   user.ID              `json:"actor_id" doc:"User who impersonates."`
	ActorName string               `json:"actor_name" doc:"Display name of the impersonating user. Empty if their account was deleted."`
	SessionID session.ID           `json:"session_id" doc:"Session of the impersonation, listed by SESSION.LIST of the impersonated user."`
	Reason    impersonation.Reason `json:"reason" doc:"Reason given by the impersonating user."`
	ReadOnly  bool                 `json:"read_only" doc:"Whether nothing can be changed."`
	Active    bool                 `json:"active" doc:"Whether the impersonation is active."`
	StartedAt time.Time            `json:"started_at" doc:"When the impersonation started."`
	ExpiresAt time.Time            `json:"expires_at" doc:"When the impersonation expires, or would have expired."`
	EndedAt   *time.Time           `json:"ended_at" doc:"When the impersonation ended. If nobody stopped it, when the service detected the end, up to a minute later. Null until then."`
	EndedBy   *impersonation.End   `json:"ended_by" doc:"Cause of the end. Null while ended_at is null."`
}

func show(s impersonation.Snapshot, actor string, now time.Time) Impersonation {
	return Impersonation{
		ID: s.ID, UserID: s.UserID, ActorID: s.ActorID, ActorName: actor, SessionID: s.SessionID, Reason: s.Reason, ReadOnly: s.ReadOnly,
		Active: s.Active(now), StartedAt: s.StartedAt, ExpiresAt: s.ExpiresAt, EndedAt: view.Time(s.EndedAt), EndedBy: view.Text(s.EndedBy),
	}
}
