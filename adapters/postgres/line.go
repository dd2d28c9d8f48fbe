package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
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
// cancel it, and then waits for an answer on both, however long that takes. It begins
// a transaction without heeding the context at all.
type connector struct{ config pq.Config }

// Connect opens one connection with a line of its own.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	one, err := pq.NewConnectorConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("use the PostgreSQL address: %w", withoutAddress(err))
	}
	l := &line{}
	one.Dialer(l)
	opened, err := one.Connect(ctx)
	if err != nil {
		return nil, err
	}
	whole, ok := opened.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("the PostgreSQL driver lacks a part of database/sql"), opened.Close())
	}
	l.open()
	return conn{whole, l}, nil
}

// Driver returns the driver of the connections.
func (c connector) Driver() driver.Driver { return pq.Driver{} }

// driverConn is all that the driver's connections do for database/sql.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	statements
	poolConn
}

type statements interface {
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.NamedValueChecker
}

type poolConn interface {
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type conn struct {
	driverConn

	line *line
}

// Close closes the connection. That the server was told of it does not matter: it may
// have ended the connection long before.
func (c conn) Close() error {
	_ = c.driverConn.Close()
	return nil
}

// BeginTx implements driver.ConnBeginTx.
func (c conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	stop := context.AfterFunc(ctx, func() { cut(c.line.conn) })
	defer stop()
	return c.driverConn.BeginTx(ctx, options)
}

func cut(line net.Conn) {
	time.AfterFunc(cutAfter, func() { _ = line.Close() })
}

// line dials for one connection. What is dialled once that is open is to cancel a
// statement of it, after which the driver does not use it again: so it may be cut.
type line struct {
	dialer net.Dialer

	guard  sync.Mutex
	conn   net.Conn // of the connection itself; known once opened
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
		cut(l.conn)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cutAfter)
		defer cancel()
	}
	dialled, err := l.dialer.DialContext(ctx, network, address)
	switch {
	case err != nil:
		return nil, err
	case l.opened:
		cut(dialled)
	default:
		l.conn = dialled
	}
	return dialled, nil
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
