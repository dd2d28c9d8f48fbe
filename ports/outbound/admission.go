package outbound

import (
	"context"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Admission answers everything a request must ask the store before its command
// runs. Requests that wait together share one round trip; what is answered is
// never older than the question.
type Admission interface {
	Admit(ctx context.Context, ask AdmissionAsk) (AdmissionAnswer, error)
}

// AdmissionAsk is what one request wants to know. The zero ask wants the revision alone.
type AdmissionAsk struct {
	// Session is the session behind the credential, if any.
	Session session.ID
	// Checks are the limits to pass: all or none of them count this request.
	Checks []LimitCheck
	// Revision is that of the configuration which the checks were taken from. Where
	// the store has a later one, the limits may be others: nothing is counted then,
	// and no verdict answered. Zero counts in any case.
	Revision int64
}

// LimitCheck is one limit for one subject.
type LimitCheck struct {
	// Key tells rule and subject, as a blind index.
	Key  string
	Rule limit.Rule
}

// AdmissionAnswer is the state of the store at the moment of the question.
type AdmissionAnswer struct {
	// Revision counts the changes to settings, limits, policies and keys.
	Revision int64
	// Identity is who stands behind the session; nil when there is no such session.
	Identity *Identity
	// Verdicts stand in the order of the checks.
	Verdicts []limit.Verdict
}

// Identity is a session with its account and its roles in the active workspace.
type Identity struct {
	Session session.Snapshot
	// Version is that of the session.
	Version int64
	User    user.Snapshot
	Grants  []workspace.Grant
}

// LimitCounters looks at single counters, for administrators.
type LimitCounters interface {
	// State gives the stored state of a counter; nil when it never counted.
	State(ctx context.Context, key string) ([]byte, error)
}

// LimitRules stores tuned limits and clears counters, inside a unit of work.
// Each change moves the instance revision.
type LimitRules interface {
	Set(ctx context.Context, rule TunedLimit) error
	// Reset drops the tuned limits of a command, of all when it is empty.
	Reset(ctx context.Context, command string) error
	// Clear forgets counters by their keys.
	Clear(ctx context.Context, keys []string) error
}

// TunedLimit is a limit that an administrator set in place of a default.
type TunedLimit struct {
	Command string
	By      limit.Key
	Rule    limit.Rule
}
