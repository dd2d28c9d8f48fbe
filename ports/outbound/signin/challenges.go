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
	// one, and the account that the code was mailed to, if any.
	Arm(ctx context.Context, digest string, code ArmedCode) error
	// Drop deletes the challenges that match, and returns how many.
	Drop(ctx context.Context, query ChallengeQuery) (int, error)
}

// ArmedCode is a code that was mailed.
type ArmedCode struct {
	// Hash is the keyed hash of the code.
	Hash string
	// About is the account of the mailbox; empty for a guest.
	About user.ID
	Until time.Time
}

// ChallengeQuery selects challenges about a user.
type ChallengeQuery struct {
	About user.ID
	Kinds []challenge.Kind
	// Spare reports whether a challenge stays; nil spares none.
	Spare func(challenge.Challenge) bool
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
