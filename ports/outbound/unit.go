package outbound

import (
	"context"
	"errors"
)

// Unit runs a closure over a family's own repositories in one transaction. When
// something it saved had been changed by somebody else meanwhile, the closure
// runs again, so it does no I/O of its own and keeps no result of a failed run. It does
// not run once the credential has ended that the context acts by (Acting).
type Unit[R any] interface {
	// Do commits when the closure answers nil, else it rolls back and answers
	// the closure's error.
	Do(ctx context.Context, change func(tx R) error) error
}

// Transactions opens one transaction around a whole command: units of work
// under its context become savepoints of it.
type Transactions interface {
	// Within commits when the closure answers true, else it rolls back. Its
	// error is the store's alone.
	Within(ctx context.Context, work func(ctx context.Context) (keep bool)) error
	// Pause waits for something outside without the transaction of a context, if it has
	// one: nobody else is to wait with it. What was done so far is committed before;
	// afterwards another transaction goes on, as long as the context does. It is for
	// commands that reach outside, which take no dry run (one would be kept), and never
	// inside a unit of work. It returns the error of wait.
	Pause(ctx context.Context, wait func() error) error
}

// ErrAnswerPending says that the first call with a key is under way, and waits for
// something outside.
var ErrAnswerPending = errors.New("the first call with the key is under way")

// ErrTooManyAnswers says that as many answers are stored for a workspace as may be.
var ErrTooManyAnswers = errors.New("too many answers are stored for the workspace")

// Answers keeps the first answer to an Idempotency-Key. It is used inside
// Transactions.Within, so that effect and answer commit together, but for what was
// done before a Pause.
type Answers interface {
	// Claim takes a key for this transaction, waiting for another that holds
	// it. It returns the answer that is stored already, if any. It fails with
	// ErrAnswerPending while one that holds the key is paused.
	Claim(ctx context.Context, key string) (StoredAnswer, bool, error)
	// Keep stores the answer to a claimed key, which counts for a workspace as long as
	// it is stored. It fails with ErrTooManyAnswers, and stores nothing.
	Keep(ctx context.Context, key string, answer StoredAnswer, quota AnswerQuota) error
}

// StoredAnswer is the first answer to a key, and what it was given for.
type StoredAnswer struct {
	// Body is a keyed MAC over command and parameters.
	Body string
	// Answer is the sealed reply.
	Answer string
}

// AnswerQuota is the workspace that an answer counts for, and how many answers may be
// stored for it at once.
type AnswerQuota struct {
	Org  string
	Most int
}
