// Package pages_test uses and looks at the pages in Chromium.
package pages_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// P is a JSON object.
type P = instance.P

func TestMain(m *testing.M) { os.Exit(instance.Run(m, browser.Close)) }
