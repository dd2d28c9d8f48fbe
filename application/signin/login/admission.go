package login

import (
	"context"

	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// admission refuses a person whom maintenance or the workspace does not admit. While the
// instance is closed only superadmins sign in, and no mode but off lets a login create an
// account.
func (s *Service) admission(_ context.Context, _ Repos, e *entry) error {
	held, now := s.Instance.State().Maintenance, s.Clock.Now()
	mode := held.InForce(now)
	refusal := admit(e.who, e.AMR)
	if mode == maintenance.Closed && !e.who.User.Snapshot().Superadmin || mode != maintenance.Off && e.New {
		refusal = held.Refusal(now)
	}
	if refusal != nil {
		e.refuse(loginevent.NotAdmitted, refusal)
	}
	return nil
}

// admit fails if the workspace does not admit a person. A superadmin may enter a suspended
// workspace.
func admit(who signin.Entrant, amr []string) error {
	entry := who.Entry
	entry.Disabled = entry.Disabled && !who.User.Snapshot().Superadmin
	return entry.Admit(workspace.MethodOf(amr))
}
