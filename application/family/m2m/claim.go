package m2m

import (
	"context"
	"errors"

	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
)

// claim makes an audience that nobody has that of the first workspace whose app asks for
// it. Somebody else may have been faster, which is no error here.
func (s *Service) claim(ctx context.Context, org workspace.ID, audience string) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		claimed, err := tx.Resources.Claimed(ctx, org)
		if err != nil {
			return err
		}
		if claimed >= resource.MostAudiences {
			return resource.ErrTooMany
		}
		err = tx.Resources.Save(ctx, resource.Claim(resource.NewID(s.IDs), org, audience, s.Clock.Now()))
		if errors.Is(err, resource.ErrTaken) || errors.Is(err, resource.ErrRegistered) {
			return nil
		}
		return err
	})
}
