//go:build !linux && !darwin

package cli

import (
	"context"
	"os"
)

// lockFile does nothing where there is no such lock: the service takes a refresh
// token that two processes exchange at once.
func lockFile(context.Context, *os.File) error { return nil }
