// Package replicas_test holds two replicas to being one service: what is done at one is true at the other at once.
package replicas_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// P is a JSON object.
type P = instance.P

func TestMain(m *testing.M) { os.Exit(instance.Run(m)) }
