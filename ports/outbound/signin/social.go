package signin

import (
	"context"

	"gatehouse.internal/domain/social"
)

// SocialSetups stores the administrators' configuration of the providers, inside a unit
// of work.
type SocialSetups interface {
	// ByProvider returns the configuration of a provider, which may be empty.
	ByProvider(ctx context.Context, p social.Provider) (*social.Setup, error)
	Save(ctx context.Context, s *social.Setup) error
}

// SocialDirectory reads the administrators' configuration, outside any transaction.
type SocialDirectory interface {
	// Overrides returns the configured values by provider.
	Overrides(ctx context.Context) (map[social.Provider]social.Overrides, error)
}
