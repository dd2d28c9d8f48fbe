package payment

import (
	"context"
	"slices"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Able fails where a processor cannot do all that is needed of it.
func Able(to ports.Processor, needed ...billing.Ability) error {
	for _, one := range needed {
		if !slices.Contains(to.Abilities(), one) {
			return billing.Unable(to.Account().Processor, one)
		}
	}
	return nil
}

// remotePrice returns the price at a processor: the one that the seller names, or else the
// one that was made there, which it is now unless it was before. It is called where no
// transaction is open.
func (s *Service) remotePrice(ctx context.Context, to ports.Processor, of ports.PriceOrder) (string, error) {
	own, at := of.Price.ID.String(), to.Account()
	kept, err := s.remote(ctx, at, own)
	if err != nil {
		return "", err
	}
	remote := of.Price.ProcessorPriceID
	if remote == "" {
		remote = kept
	}
	if remote == "" {
		remote, err = to.Selling().EnsurePrice(ctx, of, own)
	}
	if err != nil || remote == kept {
		return remote, err
	}
	return remote, s.Mirrors.Keep(ctx, at, own, remote)
}

// remoteCoupon returns the same for a coupon; "" for none.
func (s *Service) remoteCoupon(ctx context.Context, to ports.Processor, of billing.Sale, code billing.Code) (string, error) {
	if code == "" {
		return "", nil
	}
	var coupon billing.CouponSnapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		found, err := tx.Coupons.ByCode(ctx, of.OrgID, code)
		if err == nil {
			coupon = found.Snapshot()
		}
		return err
	})
	if err != nil {
		return "", err
	}
	remote, err := s.remote(ctx, to.Account(), coupon.ID.String())
	if err != nil || remote != "" {
		return remote, err
	}
	if remote, err = to.Selling().EnsureCoupon(ctx, coupon, coupon.ID.String()); err != nil {
		return "", err
	}
	return remote, s.Mirrors.Keep(ctx, to.Account(), coupon.ID.String(), remote)
}

// remote returns the processor's current identifier of an object; "" for none.
func (s *Service) remote(ctx context.Context, at billing.Account, own string) (string, error) {
	found, err := s.Mirrors.Remotes(ctx, at, own)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}
