package ops

import (
	"context"

	"gatehouse.internal/domain/limit"
)

// LimitCounters looks at single counters, for administrators.
type LimitCounters interface {
	// State returns the stored state of a counter; nil when it never counted.
	State(ctx context.Context, key string) ([]byte, error)
}

// LimitRules stores tuned limits and clears counters, inside a unit of work.
// Each change moves the instance revision.
type LimitRules interface {
	Set(ctx context.Context, rule TunedLimit) error
	// Reset drops the tuned limits of a command, of all when it is empty.
	Reset(ctx context.Context, command string) error
	// Clear forgets counters by their keys.
	Clear(ctx context.Context, keys []string) error
}

// TunedLimit is a limit that an administrator set in place of a default.
type TunedLimit struct {
	Command string
	By      limit.Key
	Rule    limit.Rule
}
