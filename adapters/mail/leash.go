package mail

import (
	"context"
	"net"
	"sync"
	"time"
)

// contextConn is a connection that ends with a context, whatever deadline the library
// sets.
type contextConn struct {
	net.Conn

	release func() bool
	guard   sync.Mutex
	end     time.Time
}

// leash ties a connection to a context.
func leash(ctx context.Context, conn net.Conn) *contextConn {
	l := &contextConn{Conn: conn}
	l.end, _ = ctx.Deadline()
	l.release = context.AfterFunc(ctx, l.cut)
	return l
}

// cut ends whatever waits for the connection.
func (l *contextConn) cut() {
	l.guard.Lock()
	defer l.guard.Unlock()
	l.end = time.Unix(1, 0)
	_ = l.Conn.SetDeadline(l.end)
}

// SetDeadline sets a deadline, but none behind the end of the leash.
func (l *contextConn) SetDeadline(t time.Time) error {
	l.guard.Lock()
	defer l.guard.Unlock()
	if !l.end.IsZero() && (t.IsZero() || t.After(l.end)) {
		t = l.end
	}
	return l.Conn.SetDeadline(t)
}

// Close closes the connection.
func (l *contextConn) Close() error {
	l.release()
	return l.Conn.Close()
}
