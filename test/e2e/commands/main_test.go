// Package commands_test tells what every caller of the commands meets: envelopes, limits, keys of idempotency, what is
// published of them, and what is stored.
package commands_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// P is a JSON object.
type P = instance.P

func TestMain(m *testing.M) { os.Exit(instance.Run(m)) }
