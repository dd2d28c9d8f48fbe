// Package sessions implements the family SESSION: listing and ending sessions.
package sessions

import (
	"context"
	"net/netip"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
)

// manage is the permission to see and end the sessions of others. It reaches
// across workspaces.
const manage = "sessions:manage"

// batch is how many sessions end in one transaction. On SQLite all other changes wait for it, for
// at most 50 ms.
const batch = 50

// Repos holds the repositories of one unit of work.
type Repos struct {
	Sessions people.Sessions

	account.DelegationRepos
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory people.SessionDirectory
	Clock     outbound.Clock
	Cursors   page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.search(),
		s.revoke(),
		s.revokeAll(),
		s.bulkRevoke(),
	}
}

// endAll ends all sessions that match, from the newest down, a batch in each
// transaction, and returns how many those were. Sessions that begin meanwhile are
// left alone, so it comes to an end.
func (s *Service) endAll(ctx context.Context, query people.SessionQuery, reason string) (int, error) {
	query.Limit = batch
	for total := 0; ; {
		var ended []*session.Session
		err := s.Unit.Do(ctx, func(tx Repos) error {
			var err error
			ended, err = s.endSome(ctx, tx, query, reason)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += len(ended); len(ended) < batch {
			return total, nil
		}
		query.Before = ended[batch-1].ID()
	}
}

func (s *Service) endSome(ctx context.Context, tx Repos, query people.SessionQuery, reason string) ([]*session.Session, error) {
	query.Now = s.Clock.Now()
	found, err := tx.Sessions.Matching(ctx, query)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		one.End(reason, query.Now)
		if err := tx.Sessions.Save(ctx, one); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// written returns an address as sessions keep it.
func written(ip netip.Addr) string {
	if !ip.IsValid() {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}

func position(s session.Snapshot) string { return s.ID.String() }
