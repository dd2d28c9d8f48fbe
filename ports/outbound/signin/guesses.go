package signin

import (
	"context"

	"gatehouse.internal/domain/guess"
)

// Guesses stores counters of wrong guesses, by subject, inside a unit of work.
type Guesses interface {
	// Of returns and locks the counter of a subject.
	Of(ctx context.Context, subject string) (*guess.Count, error)
	Save(ctx context.Context, c *guess.Count) error
}
