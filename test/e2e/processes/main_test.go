// Package processes_test starts, stops and kills the program, uses its command line, and looks at what is left.
package processes_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// P is a JSON object.
type P = instance.P

func TestMain(m *testing.M) { os.Exit(instance.Run(m)) }
