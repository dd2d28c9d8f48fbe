package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Sessions stores sessions, inside a unit of work.
type Sessions interface {
	// ByID fails with session.ErrNotFound.
	ByID(ctx context.Context, id session.ID) (*session.Session, error)
	Save(ctx context.Context, s *session.Session) error
	// HoldOff waits for the units of work that are under way by the sessions of an
	// account but for one, by its API keys and by the apps of its personal workspace, and
	// makes others wait until this one has ended (outbound.Acting). Whoever is to end any
	// of them calls it before they read or lock anything else: what they wait for may
	// want the same rows, and what they read afterwards misses nothing that it stored.
	HoldOff(ctx context.Context, of user.ID, except session.ID) error
	// Matching returns up to limit active sessions that match, in the order of
	// their ids; with Before unset they begin at the newest.
	Matching(ctx context.Context, query SessionQuery) ([]*session.Session, error)
}

// Rotations stores sessions whose refresh token was rotated or reused. Those
// that wait together share one commit; the call answers when it is durable.
type Rotations interface {
	// Read returns a session as it stands, with its account and roles; those that
	// wait together share one query. It fails with session.ErrNotFound.
	Read(ctx context.Context, id session.ID) (outbound.Identity, error)
	// Store fails with aggregate.ErrConflict when the session was changed by
	// somebody else since it was read. Runs of flows that decided about it, none of which
	// failed, are stored with it or not at all.
	Store(ctx context.Context, s *session.Session, decidedBy ...flow.Run) error
}

// SessionDirectory lists sessions for reading, outside any transaction.
type SessionDirectory interface {
	// List returns the active sessions that match, newest first.
	List(ctx context.Context, query SessionQuery) ([]session.Snapshot, error)
}

// SessionQuery narrows a list of active sessions; zero values do not narrow.
type SessionQuery struct {
	User         user.ID
	Org          workspace.ID
	Except       session.ID
	IP           string
	AMR          string
	ActiveSince  time.Time
	IssuedBefore time.Time
	// Before is the last id of the page before.
	Before session.ID
	Limit  int
	Now    time.Time
}
