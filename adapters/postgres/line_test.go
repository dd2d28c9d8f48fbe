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
			defer near.Close()
			defer far.Close()
			_, _ = io.Copy(far, near)
		}()
		go func() {
			answer := make([]byte, 64<<10)
			for {
				n, err := far.Read(answer)
				switch {
				case v.shut.Load() && err != nil:
					return // of which the client is not told either
				case v.shut.Load():
					continue
				case err != nil:
					_ = near.Close()
					return
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
	prepared, err := database.Write.PreparexContext(t.Context(), "SELECT 1") //nolint:sqlclosecheck // it is closed below
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	for name, ask := range map[string]func(context.Context) error{
		"statement": func(ctx context.Context) error {
			_, err := database.Write.ExecContext(ctx, "SELECT 1")
			return err
		},
		"prepared statement": func(ctx context.Context) error {
			_, err := prepared.ExecContext(ctx)
			return err
		},
		"transaction": func(ctx context.Context) error {
			tx, err := database.Write.BeginTxx(ctx, nil)
			if err != nil {
				return err
			}
			return tx.Rollback()
		},
	} {
		try := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			return ask(ctx)
		}
		const enough = 5 * time.Minute
		if err := try(enough); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		v.shut.Store(true)
		began := time.Now()
		if err := try(100 * time.Millisecond); err == nil {
			t.Errorf("%s: a server that hangs answers", name)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: it fails after %v", name, took)
		}
		v.shut.Store(false)
		if err := try(enough); err != nil {
			t.Errorf("%s: the only connection of the pool is held: %v", name, err)
		}
	}
}
