package payment

import (
	"context"
	"errors"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Portal creates a portal page for a customer. It fails with billing.ErrRefused and
// billing.ErrSilent; an unused page has no effect.
func (s *Service) Portal(ctx context.Context, at commerce.Processor, order commerce.PortalOrder, pause Pause) (made commerce.Portal, err error) {
	err = pause(func() (err error) {
		outside, cancel := away(ctx, s.Patience)
		defer cancel()
		made, err = at.Serving().CreatePortal(outside, order, billing.NewIntentID(s.IDs).String())
		return err
	})
	if err != nil && !errors.Is(err, billing.ErrRefused) {
		err = billing.ErrSilent.Because(err)
	}
	return made, err
}
