package ops

import (
	"context"

	"gatehouse.internal/domain/limit"
)

// LimitCounters reads single counters, for administrators.
type LimitCounters interface {
	// State returns the stored state of a counter; nil if it has never counted.
	State(ctx context.Context, key string) ([]byte, error)
}

// LimitRules stores custom limits and clears counters, inside a unit of work. Each
// change increments the instance revision.
type LimitRules interface {
	Set(ctx context.Context, rule TunedLimit) error
	// Reset deletes the custom limits of a command, or of all if it is empty.
	Reset(ctx context.Context, command string) error
	// Clear deletes counters by key.
	Clear(ctx context.Context, keys []string) error
}

// TunedLimit is a limit set by an administrator, instead of a default.
type TunedLimit struct {
	Command string
	By      limit.Key
	Rule    limit.Rule
}
