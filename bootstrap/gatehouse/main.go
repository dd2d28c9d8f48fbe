// Gatehouse is an authentication and identity service in a single binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/bootstrap"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], bootstrap.Program(), cli.System())
	stop()
	os.Exit(code)
}
