package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"gatehouse.internal/domain/wait"
)

// lockPause is how long to wait before the lock is tried again.
const lockPause = 20 * time.Millisecond

// fileLock lets one process at a time migrate. The system lets go of it when its
// holder ends, however that happens.
type fileLock struct {
	name string
	file *os.File
}

// Lock waits for the lock until the context ends.
func (l *fileLock) Lock(ctx context.Context, _ *sql.DB) error {
	file, err := os.OpenFile(l.name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the migration lock: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			l.file = file
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return errors.Join(fmt.Errorf("lock the migrations: %w", err), file.Close())
		}
		if err := wait.For(ctx, lockPause); err != nil {
			return errors.Join(fmt.Errorf("wait for the migration of another process: %w", err), file.Close())
		}
	}
}

// Unlock lets go of the lock by closing its file, which stays.
func (l *fileLock) Unlock(context.Context, *sql.DB) error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release the migration lock: %w", err)
	}
	return nil
}
