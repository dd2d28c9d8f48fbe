// Command pgcluster runs the command it is given beside a throw-away PostgreSQL
// cluster, whose address the command finds in TEST_DATABASE_URL, and ends with
// the command's exit code. Where that variable is set already, the server it
// names is used and no cluster is started.
//
// `make test` uses it so that all test packages share one cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"gatehouse.internal/test/harness/cluster"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: pgcluster command [argument...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1], os.Args[2:])
	stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	default:
		fmt.Fprintln(os.Stderr, "pgcluster:", err)
		os.Exit(1)
	}
}

// run passes an interruption on to the command and returns it ten seconds to end.
func run(ctx context.Context, program string, args []string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if os.Getenv("TEST_DATABASE_URL") == "" {
		server, err := cluster.Start(ctx)
		if err != nil {
			return err
		}
		defer server.Remove()
		cmd.Env = append(os.Environ(), "TEST_DATABASE_URL="+server.DSN("postgres"))
	}
	return cmd.Run()
}
