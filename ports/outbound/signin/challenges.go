package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
)

// Challenges stores pending challenges, inside a unit of work. Methods that find none
// of the given kind that has not expired fail with challenge.ErrGone.
type Challenges interface {
	// Open stores a new challenge.
	Open(ctx context.Context, c challenge.Challenge) error
	// Look returns and locks a challenge, so that wrong answers are counted one by one.
	Look(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error)
	// Take deletes and returns a challenge: of concurrent calls, only one succeeds.
	Take(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error)
	// Miss counts a wrong answer, and deletes the challenge after the last permitted
	// one (challenge.MaxFailures).
	Miss(ctx context.Context, digest string) error
	// Arm stores the keyed hash of a mailed code in a challenge, replacing a previous
	// one.
	Arm(ctx context.Context, digest, code string, until time.Time) error
	// Drop deletes all challenges of some kinds about a user.
	Drop(ctx context.Context, about user.ID, kinds ...challenge.Kind) error
}

// Openings stores a challenge outside any unit of work, so that starting a login needs
// no transaction.
type Openings interface {
	Open(ctx context.Context, c challenge.Challenge) error
}

// Links reads the challenges of links without consuming them, outside any transaction.
type Links interface {
	// Find returns a challenge of one of the kinds. It fails with challenge.ErrGone.
	Find(ctx context.Context, digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error)
}
