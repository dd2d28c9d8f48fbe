package harness

import (
	"context"
	"testing"

	"gatehouse.internal/test/harness/cluster"
)

// Server is a PostgreSQL server that one test has to itself, to be stopped and
// started under the code it tests.
type Server struct {
	tb      testing.TB
	cluster *cluster.Cluster
}

// PostgresServer starts a server for one test, with TEST_DATABASE_URL or
// without. It takes about a second, and is gone when the test ends.
func PostgresServer(tb testing.TB) *Server {
	tb.Helper()
	started, err := cluster.Start(tb.Context())
	if err != nil {
		tb.Fatalf("start a PostgreSQL server: %v", err)
	}
	tb.Cleanup(started.Remove)
	return &Server{tb: tb, cluster: started}
}

// DSN is the address of an empty database of the server; it stays the same over
// Stop and Start.
func (s *Server) DSN() string { return s.cluster.DSN("postgres") }

// Stop ends the server at once, as a crash would: every connection breaks and
// new ones are refused.
func (s *Server) Stop() {
	s.tb.Helper()
	if err := s.cluster.Stop(context.WithoutCancel(s.tb.Context())); err != nil {
		s.tb.Fatalf("stop the PostgreSQL server: %v", err)
	}
}

// Start starts the stopped server again. What was committed is there.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.cluster.Start(context.WithoutCancel(s.tb.Context())); err != nil {
		s.tb.Fatalf("start the PostgreSQL server again: %v", err)
	}
}
