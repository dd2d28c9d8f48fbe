package featureflags

import (
	"context"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var _ token.Features = (*Service)(nil)

// On returns those features that are true for a person in a workspace, in the given
// order. Features that are not boolean are omitted.
func (s *Service) On(
	ctx context.Context, org workspace.ID, u user.Snapshot, held role.EffectiveRoles, keys []feature.Key,
) ([]feature.Key, error) {
	answer, err := s.Decide(ctx, Input{
		Org: org, User: u.ID, Workspace: org, Person: &claims.Person{Account: u, EffectiveRoles: held}, Keys: keys,
	})
	if err != nil {
		return nil, err
	}
	on := []feature.Key{}
	for _, key := range keys {
		if answer.Features[key].Value.On() {
			on = append(on, key)
		}
	}
	return on, nil
}
