// Package oauth_test lets clients of others and of its own sign in and call by the protocols of OAuth, and tries to
// cheat them.
package oauth_test

import (
	"os"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// P is a JSON object.
type P = instance.P

func TestMain(m *testing.M) { os.Exit(instance.Run(m, browser.Close)) }
