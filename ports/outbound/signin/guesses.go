package signin

import (
	"context"

	"gatehouse.internal/domain/guess"
)

// Guesses stores what was guessed of each subject, inside a unit of work.
type Guesses interface {
	// Of returns the count of a subject, and holds off every other unit that changes it.
	Of(ctx context.Context, subject string) (*guess.Count, error)
	Save(ctx context.Context, c *guess.Count) error
}
