package upkeep

import (
	"context"
	"time"
)

const (
	announceEvery = 15 * time.Second
	// AliveFor is how long after it was seen last a replica counts as alive.
	AliveFor = 4 * announceEvery
	// forgottenAfter is when one that did not say that it stops is forgotten.
	forgottenAfter = time.Hour
)

// leaveTime is how long a replica that stops tries to be forgotten at once.
const leaveTime = 2 * time.Second

// announce notes that this replica is alive.
func (k *Keeper) announce(ctx context.Context) error {
	return k.Replicas.Announce(ctx, k.Self, k.Clock.Now(), forgottenAfter)
}

// leave has this replica forgotten, which stops.
func (k *Keeper) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if err := k.Replicas.Leave(ctx, k.Self.ID); err != nil {
		k.Logger.WarnContext(ctx, "failed to remove this replica from the list: it stays listed until it expires", "cause", err)
	}
}
