package payment

import (
	"context"
	"slices"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Able fails where a processor cannot do all that is needed of it.
func Able(to commerce.Processor, needed ...billing.Ability) error {
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
func (s *Service) remotePrice(ctx context.Context, to commerce.Processor, of commerce.PriceOrder) (string, error) {
	own, at := of.Price.ID.String(), to.Account()
	if named := of.Price.ProcessorPriceID; named != "" {
		kept, err := s.remote(ctx, at, own)
		if err != nil || kept == named {
			return kept, err
		}
		return named, s.Mirrors.Keep(ctx, at, own, named)
	}
	return s.mirrored(ctx, at, own, turnOfPrice(at, of.Price), func() (string, error) {
		return to.Selling().EnsurePrice(ctx, of, own)
	})
}

// remoteCoupon returns the same for a coupon; "" for none.
func (s *Service) remoteCoupon(ctx context.Context, to commerce.Processor, of billing.Sale, code billing.Code) (string, error) {
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
	own := coupon.ID.String()
	return s.mirrored(ctx, to.Account(), own, turnAt(to.Account(), own), func() (string, error) {
		return to.Selling().EnsureCoupon(ctx, coupon, own)
	})
}

// mirrored returns the processor's identifier of an object of ours. Unless it is known, it
// makes the object, in a turn.
func (s *Service) mirrored(ctx context.Context, at billing.Account, own, turn string, ensure func() (string, error)) (remote string, err error) {
	if remote, err = s.remote(ctx, at, own); err != nil || remote != "" {
		return remote, err
	}
	err = s.alone(ctx, turn, func() error {
		if remote, err = s.remote(ctx, at, own); err != nil || remote != "" {
			return err
		}
		if remote, err = ensure(); err != nil {
			return err
		}
		return s.Mirrors.Keep(ctx, at, own, remote)
	})
	return remote, err
}

// remote returns the processor's current identifier of an object; "" for none.
func (s *Service) remote(ctx context.Context, at billing.Account, own string) (string, error) {
	found, err := s.Mirrors.Remotes(ctx, at, own)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}
