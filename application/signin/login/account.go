package login

import (
	"context"
	"errors"

	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// account reads the account, as a member of the workspace to enter, and refuses one that cannot
// sign in at all.
func (s *Service) account(ctx context.Context, tx Repos, e *entry) error {
	who, err := s.entrant(ctx, tx, e)
	if err != nil && !errors.Is(err, user.ErrNotFound) {
		return err
	}
	e.found(who)
	switch {
	case who.User == nil:
		e.refuse(loginevent.UnknownUser, nil)
	case !who.User.Snapshot().Usable(s.Clock.Now()):
		e.refuse(loginevent.UserDisabled, nil)
	case who.Member == nil:
		e.refuse(loginevent.NotAMember, workspace.ErrNotMember)
	}
	return nil
}

// entrant reads the account of a proved identity, as a member of the workspace to enter. If
// no workspace is named and the last active one does not admit the person, that is the
// personal one. If the named workspace has verified the domain of their address, they become
// a member of it.
func (s *Service) entrant(ctx context.Context, tx Repos, e *entry) (signin.Entrant, error) {
	which := e.entering()
	who, err := tx.Entrants.Entrant(ctx, which)
	if err == nil && e.Org != "" && who.Member == nil {
		if joined, err := s.join(ctx, tx, who, e.Org); err != nil || joined == "" {
			return who, err
		}
		return tx.Entrants.Entrant(ctx, which)
	}
	if err != nil || e.Org != "" || who.Member == nil || admit(who, e.AMR) == nil {
		return who, err
	}
	which.Home = true
	return tx.Entrants.Entrant(ctx, which)
}

// join makes a person a member of the workspace that has verified the domain of their address,
// and returns that workspace, or "" if there is none. If only is set, no other workspace is
// considered. It costs nothing if no domain of the instance admits members.
func (s *Service) join(ctx context.Context, tx Repos, who signin.Entrant, only workspace.ID) (workspace.ID, error) {
	if !who.Joins {
		return "", nil
	}
	return tx.Domains.Join(ctx, who.User.Snapshot(), only, s.Clock.Now())
}
