package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/lib/pq"
)

// cutAfter is how long the server has to end a statement that it was asked to cancel.
const cutAfter = 2 * time.Second

// connector opens connections that a server which hangs does not hold. When the
// context of a statement ends, the driver asks the server over a second connection to
// cancel it, and then waits for an answer on the first, however long that takes.
type connector struct{ config pq.Config }

// Connect opens one connection with a line of its own.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	one, err := pq.NewConnectorConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("use the PostgreSQL address: %w", withoutAddress(err))
	}
	l := &line{}
	one.Dialer(l)
	conn, err := one.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l.open()
	return conn, nil
}

// Driver is the driver of the connections.
func (c connector) Driver() driver.Driver { return pq.Driver{} }

// line dials for one connection. What is dialled once that is open is to cancel a
// statement of it, after which the driver does not use it again: so it may be cut.
type line struct {
	dialer net.Dialer

	guard  sync.Mutex
	conn   net.Conn
	opened bool
}

func (l *line) open() {
	l.guard.Lock()
	defer l.guard.Unlock()
	l.opened = true
}

// DialContext implements pq.DialerContext.
func (l *line) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	l.guard.Lock()
	defer l.guard.Unlock()
	if l.opened {
		time.AfterFunc(cutAfter, func() { _ = l.conn.Close() })
		return l.dialer.DialContext(ctx, network, address)
	}
	conn, err := l.dialer.DialContext(ctx, network, address)
	l.conn = conn
	return conn, err
}

// Dial implements pq.Dialer, which the driver asks for and leaves aside.
func (l *line) Dial(network, address string) (net.Conn, error) {
	return l.DialContext(context.Background(), network, address)
}

// DialTimeout implements pq.Dialer.
func (l *line) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return l.DialContext(ctx, network, address)
}
