package outbound

import (
	"context"
	"time"
)

// Observer is notified of every executed command, for metrics.
type Observer interface {
	// Command records the name of the command (possibly unknown or ""), the error code
	// ("OK" on success) and the duration of the call.
	Command(ctx context.Context, name, code string, took time.Duration)
}
