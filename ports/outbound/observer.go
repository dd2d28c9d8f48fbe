package outbound

import (
	"context"
	"time"
)

// Observer hears of every command that was executed, for metrics.
type Observer interface {
	// Command records the name of the command ("" or anything else when there is
	// none of that name), the error code ("OK" on success) and how long the call
	// took.
	Command(ctx context.Context, name, code string, took time.Duration)
}
