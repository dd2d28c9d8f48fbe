package harness_test

import (
	"net"
	"net/url"
	"testing"

	"gatehouse.internal/test/harness"
)

func listens(t *testing.T, address string) bool {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatalf("the address %q: %v", address, err)
	}
	conn, err := net.Dial("tcp", parsed.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func TestRedisStopsAndStarts(t *testing.T) {
	t.Parallel()
	server := harness.RedisServer(t)
	for range 3 {
		if !listens(t, server.URL()) {
			t.Fatal("a Redis that was started does not listen")
		}
		server.Stop()
		if listens(t, server.URL()) {
			t.Fatal("a Redis that was stopped still listens")
		}
		server.Start()
	}
	if shared := harness.Redis(t); shared != harness.Redis(t) || shared == server.URL() || !listens(t, shared) {
		t.Errorf("the shared Redis is at %q", shared)
	}
}
