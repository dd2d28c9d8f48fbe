//go:build linux || darwin

package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse.internal/domain/wait"
)

// lockPause is the interval between attempts to lock a file.
const lockPause = 20 * time.Millisecond

// lockFile locks a file, waiting until the context ends. Closing the file releases the
// lock.
func lockFile(ctx context.Context, file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if err := wait.For(ctx, lockPause); err != nil {
			return err
		}
	}
}
