package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Sessions stores sessions, inside a unit of work.
type Sessions interface {
	// ByID returns a session. It fails with session.ErrNotFound.
	ByID(ctx context.Context, id session.ID) (*session.Session, error)
	Save(ctx context.Context, s *session.Session) error
	// HoldOff waits for running units of work that act by the sessions of an account
	// except one, by its API keys, by the grants of apps, and by the apps of its personal
	// workspace, and blocks new ones until the transaction ends (outbound.ActingCredential). It must be called before
	// any other read or lock in a unit that ends such credentials: the units it waits
	// for may need the same rows, and later reads include everything they stored.
	HoldOff(ctx context.Context, of user.ID, except session.ID) error
	// Matching returns up to limit active sessions that match, sorted by ID; with
	// Before unset, from the newest.
	Matching(ctx context.Context, query SessionQuery) ([]*session.Session, error)
}

// Rotations stores sessions whose refresh token was rotated or reused. Concurrent calls
// share one commit; a call returns when its change is durable.
type Rotations interface {
	// Read returns a session with its account and roles; concurrent calls share one
	// query. It fails with session.ErrNotFound.
	Read(ctx context.Context, id session.ID) (outbound.Identity, error)
	// Store stores a session, together with the successful flow runs that decided about
	// it. It fails with aggregate.ErrConflict, and stores nothing, if the session was
	// changed since it was read.
	Store(ctx context.Context, s *session.Session, decidedBy ...flow.Run) error
}

// SessionDirectory reads sessions, outside any transaction.
type SessionDirectory interface {
	// List returns the active sessions that match, newest first.
	List(ctx context.Context, query SessionQuery) ([]session.Snapshot, error)
}

// SessionQuery narrows a list of active sessions; zero values do not narrow.
type SessionQuery struct {
	User   user.ID
	Org    workspace.ID
	Except session.ID
	IP     string
	AMR    string
	// App selects sessions in which the app has access that a person granted.
	App          app.ID
	ActiveSince  time.Time
	IssuedBefore time.Time
	// Before is the last ID of the previous page.
	Before session.ID
	Limit  int
	Now    time.Time
}
