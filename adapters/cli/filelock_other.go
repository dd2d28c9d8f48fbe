//go:build !linux && !darwin

package cli

import (
	"context"
	"os"
)

// lockFile does nothing on this platform. The service tolerates concurrent exchanges of
// a refresh token.
func lockFile(context.Context, *os.File) error { return nil }
