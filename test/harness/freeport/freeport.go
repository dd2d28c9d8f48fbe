// Package freeport finds TCP ports for servers that tests start as processes of
// their own.
package freeport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// The ports that are handed out lie below those from which systems serve outgoing
// connections and listeners on port 0 (on Linux from 32768), so that neither takes
// one between Next and the start of a server, or while a test restarts it.
const (
	lowest = 10_000
	count  = 22_000
)

// turn counts the ports looked at. It starts anywhere, so that test programs that
// run side by side do not look at the same ones.
var turn = anywhere()

func anywhere() *atomic.Uint32 {
	var at atomic.Uint32
	at.Store(rand.Uint32N(count))
	return &at
}

// Next returns a port of 127.0.0.1 on which nothing listens. It returns each port
// once in a process.
func Next(ctx context.Context) (int, error) {
	var err error
	for range 100 {
		port := lowest + int(turn.Add(1)%count)
		if err = listens(ctx, port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}

// listens returns an error unless a server could listen on a port now.
func listens(ctx context.Context, port int) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return listener.Close()
}
