package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Devices gives the devices that skip the second factor.
func (t *Tx) Devices() outbound.Devices { return devices{t} }

type devices struct{ tx *Tx }

// Recognise marks the device that holds a token as used.
func (r devices) Recognise(ctx context.Context, owner user.ID, digest string, now time.Time) (bool, error) {
	n, err := r.tx.q.exec(ctx, `UPDATE devices SET last_used_at = ? WHERE digest = ? AND user_id = ? AND expires_at > ?`,
		at(now), digest, owner.String(), at(now))
	if err != nil {
		return false, fmt.Errorf("look up a remembered device: %w", err)
	}
	return n > 0, nil
}
