package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
)

// Challenges stores what is waited for, inside a unit of work. What is found is
// of the kind asked for and has not ended; all else fails with challenge.ErrGone.
type Challenges interface {
	// Open stores a new one.
	Open(ctx context.Context, c challenge.Challenge) error
	// Look reads one and holds off every other unit that looks at it, so that
	// wrong answers are counted one by one.
	Look(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error)
	// Take removes one and hands it out: of all who try, one succeeds.
	Take(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error)
	// Miss counts a wrong answer, and removes the challenge with the last one that
	// it bears (challenge.MaxFailures).
	Miss(ctx context.Context, digest string) error
	// Arm returns a challenge the keyed hash of the code that was mailed for it, in
	// place of any before.
	Arm(ctx context.Context, digest, code string, until time.Time) error
	// Drop removes all of these kinds that are about a user.
	Drop(ctx context.Context, about user.ID, kinds ...challenge.Kind) error
}

// Openings stores a challenge that nothing else is stored with, outside any unit of
// work: a login that begins costs no transaction.
type Openings interface {
	Open(ctx context.Context, c challenge.Challenge) error
}

// Links looks at what links are for without using them, outside any transaction.
type Links interface {
	// Find returns the challenge of one of these kinds that has not ended; it fails with
	// challenge.ErrGone.
	Find(ctx context.Context, digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error)
}
