package outbound

import (
	"context"
	"errors"
)

// Unit runs a closure over a family's own repositories in one transaction. On a
// conflict with a concurrent change, the closure runs again, so it must do no I/O of
// its own and keep no results of a failed run. It is not run once the credential in its
// context has ended (ActingCredential).
type Unit[R any] interface {
	// Do commits if the closure returns nil; otherwise it rolls back and returns the
	// closure's error.
	Do(ctx context.Context, change func(tx R) error) error
}

// Transactions runs a whole command in one transaction: units of work in its context
// become savepoints.
type Transactions interface {
	// Within commits if the closure returns true, else it rolls back. It returns errors
	// of the store only.
	Within(ctx context.Context, work func(ctx context.Context) (keep bool)) error
	// Pause calls wait, which waits for an external system, outside the transaction of
	// a context, if there is one, so that no locks are held meanwhile. It commits
	// before, and continues with a new transaction afterwards. It is for commands with
	// external effects, which support no dry run (its effects would be kept), and must
	// not be called inside a unit of work. It returns the error of wait.
	Pause(ctx context.Context, wait func() error) error
}

// ErrAnswerPending is returned while the first call with a key is under way.
var ErrAnswerPending = errors.New("the first call with this key is still in progress")

// ErrTooManyAnswers is returned if a workspace has the maximum number of stored
// answers.
var ErrTooManyAnswers = errors.New("the workspace has too many stored answers")

// Answers stores the first reply to an Idempotency-Key. It is used inside
// Transactions.Within, so that effects and reply commit together, except for effects
// before a Pause.
type Answers interface {
	// Claim locks a key for this transaction, waiting for another one that holds it, and
	// returns the stored reply, if any. It may put the lock off until the transaction is
	// used; then any use fails with ErrAnswerPending if another call locked the key
	// first. So does Claim while a call that holds the key is paused.
	Claim(ctx context.Context, key string) (StoredAnswer, bool, error)
	// Keep stores the reply to a claimed key, and counts it for a workspace as long as
	// it is stored. It fails with ErrTooManyAnswers, and then stores nothing.
	Keep(ctx context.Context, key string, answer StoredAnswer, quota AnswerQuota) error
}

// StoredAnswer is the first reply to a key, and the request it belongs to.
type StoredAnswer struct {
	// Body is a keyed MAC over command and parameters.
	Body string
	// Answer is the sealed reply.
	Answer string
}

// AnswerQuota is the workspace that a reply counts for, and the maximum number of
// stored replies.
type AnswerQuota struct {
	Org  string
	Most int
}
