package signin

import (
	"context"

	"gatehouse.internal/domain/social"
)

// SocialSetups stores what administrators set of the providers, inside a unit of work.
type SocialSetups interface {
	// ByProvider returns the setup of a provider; one of which nothing was ever set is
	// empty.
	ByProvider(ctx context.Context, p social.Provider) (*social.Setup, error)
	Save(ctx context.Context, s *social.Setup) error
}

// SocialDirectory reads what administrators set, outside any transaction.
type SocialDirectory interface {
	// Overrides returns what was set of each provider of which anything was.
	Overrides(ctx context.Context) (map[social.Provider]social.Overrides, error)
}
