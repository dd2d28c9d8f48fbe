package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/test/harness"
)

// valve stands between a server and its clients. While it is shut, the server takes
// connections and requests and answers none, as one that hangs does.
type valve struct{ shut atomic.Bool }

func (v *valve) serve(listener net.Listener, target string) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", target)
		if err != nil {
			_ = near.Close()
			continue
		}
		go func() {
			defer far.Close()
			_, _ = io.Copy(far, near)
		}()
		go func() {
			defer near.Close()
			answer := make([]byte, 64<<10)
			for {
				n, err := far.Read(answer)
				if err != nil {
					return
				}
				if v.shut.Load() {
					continue
				}
				if _, err := near.Write(answer[:n]); err != nil {
					return
				}
			}
		}()
	}
}

func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	between, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	address, err := url.Parse(harness.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	var v valve
	go v.serve(between, address.Host)
	address.Host = between.Addr().String()
	database, err := postgres.Open(address.String(), postgres.Pools{Main: 1, Hot: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	ask := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var one int
		return database.Write.GetContext(ctx, &one, "SELECT 1")
	}
	const enough = 30 * time.Second
	if err := ask(enough); err != nil {
		t.Fatal(err)
	}
	v.shut.Store(true)
	began := time.Now()
	if err := ask(100 * time.Millisecond); err == nil {
		t.Error("a server that hangs answers")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it fails after %v", took)
	}
	v.shut.Store(false)
	if err := ask(enough); err != nil {
		t.Errorf("the only connection of the pool is held: %v", err)
	}
}
