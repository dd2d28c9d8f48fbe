package upkeep

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/wait"
)

// indexBatch is the number of accounts entered in one transaction, which no sign-in waits for long.
const indexBatch = 200

// indexPause is the pause between two batches.
const indexPause = 20 * time.Millisecond

// index enters all accounts that the index of searches lacks.
func (k *Keeper) index(ctx context.Context) error {
	var last user.ID
	batch := timely(func(ctx context.Context) (err error) {
		last, err = k.Search.Fill(ctx, last, indexBatch)
		return err
	})
	for {
		if err := batch(ctx); err != nil || last == "" {
			return err
		}
		if err := wait.For(ctx, indexPause); err != nil {
			return err
		}
	}
}
