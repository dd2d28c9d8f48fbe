package m2m

import (
	"context"
	"errors"

	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
)

// claim makes an audience that nobody has that of the first workspace whose app asks for
// it, where no other workspace has verified a domain that it is under. Somebody else may
// have been faster, which is no error here. Under a domain of its own a workspace claims
// any number.
func (s *Service) claim(ctx context.Context, org workspace.ID, audience string) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		owner, err := tx.Domains.DomainOwner(ctx, audience)
		if err != nil {
			return err
		}
		claimed, err := tx.Resources.Claimed(ctx, org)
		switch {
		case err != nil:
			return err
		case owner == "" && claimed >= resource.MostAudiences:
			return resource.ErrTooMany
		case owner != "" && owner != org:
			return resource.ErrForeign
		}
		err = tx.Resources.Save(ctx, resource.Claim(resource.NewID(s.IDs), org, audience, s.Clock.Now()))
		if errors.Is(err, resource.ErrTaken) || errors.Is(err, resource.ErrRegistered) {
			return nil
		}
		return err
	})
}
