package billing

import (
	"context"

	"gatehouse.internal/domain/billing"
)

// Mirrors keeps what processors call our prices and coupons.
type Mirrors interface {
	// Remote returns the processor's identifier of something of ours; "" where none is kept.
	Remote(ctx context.Context, at billing.Account, own string) (string, error)
	// Own returns the newest of ours that a processor knows by an identifier; "" for none.
	Own(ctx context.Context, at billing.Account, remote string) (string, error)
	// Keep stores by what a processor knows something of ours, in place of what was kept.
	Keep(ctx context.Context, at billing.Account, own, remote string) error
}
