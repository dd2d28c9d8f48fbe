package cli

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// browser returns a function that opens an address in the browser of this machine; nil if
// it has none.
func browser(getenv func(string) string) func(ctx context.Context, address string) error {
	var program []string
	switch {
	case getenv("BROWSER") != "":
		program = []string{getenv("BROWSER")}
	case runtime.GOOS == "darwin":
		program = []string{"open"}
	case runtime.GOOS == "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		program = []string{"xdg-open"}
	default:
		return nil
	}
	if _, err := exec.LookPath(program[0]); err != nil {
		return nil
	}
	return func(ctx context.Context, address string) error {
		//nolint:gosec // the user's own choice of a program, and the address is one argument
		opening := exec.CommandContext(context.WithoutCancel(ctx), program[0], append(program[1:], address)...)
		if err := opening.Start(); err != nil {
			return fmt.Errorf("open the browser: %w", err)
		}
		go func() { _ = opening.Wait() }()
		return nil
	}
}
