package ops

import (
	"context"
	"encoding/json"
)

// Settings stores runtime settings, inside a unit of work. Each change increments the
// instance revision.
type Settings interface {
	// Set stores values by name; a nil value resets to the default.
	Set(ctx context.Context, values map[string]json.RawMessage) error
}
