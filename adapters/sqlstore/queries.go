package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
)

// prepared is a prepared statement. Its users do not close it: it lives as long as its pool,
// or ends with its transaction.
type prepared struct {
	*sqlx.Stmt
	statement *statement
}

// pool is a pool of connections with the statements that were prepared on it.
// The texts come from this package alone, so their number is bounded.
type pool struct {
	db      *sqlx.DB
	dialect Dialect
	turns   chan struct{}
	// stalled is set once something has waited in vain for the one connection that writes, until
	// somebody gets it.
	stalled atomic.Bool
	mu      sync.RWMutex
	// known holds the statements by their portable text. One that was translated but not
	// prepared yet has no Stmt.
	known map[string]prepared
}

func newPool(db *sqlx.DB, dialect Dialect, turns chan struct{}) *pool {
	return &pool{db: db, dialect: dialect, turns: turns, known: map[string]prepared{}}
}

// wait waits for the turn to use the connection of a pool that has one alone. The caller
// calls leave once it is done.
func (p *pool) wait(ctx context.Context) (leave func(), err error) {
	if p.turns == nil {
		return func() {}, nil
	}
	if outbound.Hurried(ctx) {
		patient, cancel := context.WithTimeout(ctx, writerPatience)
		defer cancel()
		leave, err = p.turn(patient)
		return leave, p.busy(ctx, err)
	}
	return p.turn(ctx)
}

func (p *pool) turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the connection: %w", ctx.Err())
	}
}

// writerPatience is how long work that somebody waits for waits for the one connection that
// writes.
const writerPatience = 3 * time.Second

// errBusy refuses a change while something else holds the one connection that writes.
var errBusy = fault.Unavailable("the service is busy with another change: wait until the time in Retry-After has passed", time.Second)

// busy returns errBusy where somebody waits for the work of a context, and the one connection
// that writes did not get free in time: here, or of another process.
func (p *pool) busy(ctx context.Context, err error) error {
	if err == nil || p.turns == nil || !outbound.Hurried(ctx) || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	if p.dialect.Failure(err) == Transient || errors.Is(err, context.DeadlineExceeded) {
		return errBusy.Because(err)
	}
	return err
}

// find returns a statement, translated if it has not been prepared yet.
func (p *pool) find(portable string) (prepared, error) {
	p.mu.RLock()
	found, isKnown := p.known[portable]
	p.mu.RUnlock()
	if isKnown {
		return found, nil
	}
	made, err := translate(p.dialect, portable)
	if err != nil {
		return prepared{}, err
	}
	return p.keep(portable, prepared{statement: &made}), nil
}

// keep remembers a statement unless a prepared one is already known.
func (p *pool) keep(portable string, made prepared) prepared {
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier, isKnown := p.known[portable]; isKnown && (earlier.Stmt != nil || made.Stmt == nil) {
		return earlier
	}
	p.known[portable] = made
	return made
}

// prepare returns the prepared statement. The first call prepares it on a connection of the
// pool, so it must not be called while holding a transaction.
func (p *pool) prepare(ctx context.Context, portable string) (prepared, error) {
	found, err := p.find(portable)
	if err != nil || found.Stmt != nil {
		return found, err
	}
	fresh, err := p.db.PreparexContext(ctx, found.statement.text)
	if err != nil {
		return prepared{}, fmt.Errorf("prepare a statement: %w", err)
	}
	kept := p.keep(portable, prepared{Stmt: fresh, statement: found.statement})
	if kept.Stmt != fresh { // somebody was faster
		return kept, fresh.Close() //nolint:sqlclosecheck // Every other one is kept.
	}
	return kept, nil
}

// Queries runs statements on a pool, or in a transaction of it.
type Queries struct {
	pool *pool
	tx   *sqlx.Tx
	// unknown are the statements that the transaction found unprepared. It cannot prepare them
	// on the pool, because it would wait for a second connection while holding one; they are
	// prepared after it has ended.
	unknown map[string]bool
	// open begins the transaction when it is first used; nil once it has begun.
	open func(ctx context.Context) error
}

// enter begins the transaction unless it has begun.
func (q *Queries) enter(ctx context.Context) error {
	if q.open == nil {
		return nil
	}
	return q.open(ctx)
}

// Get reads one row; it fails with sql.ErrNoRows.
func (q *Queries) Get(ctx context.Context, into any, portable string, args ...any) error {
	return q.read(ctx, func() error {
		stmt, bound, err := q.ready(ctx, portable, args)
		if err != nil {
			return err
		}
		return stmt.GetContext(ctx, into, bound...)
	})
}

// One reads one row; it fails with missing where there is none.
func (q *Queries) One(ctx context.Context, into any, missing error, portable string, args ...any) error {
	err := q.Get(ctx, into, portable, args...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return missing
	case err != nil:
		return fmt.Errorf("read %T: %w", into, err)
	}
	return nil
}

// Wrap adds to an error what failed; it returns nil for nil.
func Wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// List reads all rows into a slice.
func (q *Queries) List(ctx context.Context, into any, portable string, args ...any) error {
	return q.read(ctx, func() error {
		stmt, bound, err := q.ready(ctx, portable, args)
		if err != nil {
			return err
		}
		return stmt.SelectContext(ctx, into, bound...)
	})
}

// read runs a look-up outside a transaction again on transient failures. After a restart of
// the database every connection of the pool turns out to be lost when it is used, so the
// look-up moves on until it gets a new one.
func (q *Queries) read(ctx context.Context, lookUp func() error) error {
	leave, err := q.wait(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = lookUp()
	if err == nil || q.tx != nil {
		return err
	}
	if q.pool.turns != nil { // it has waited for the connection already
		return q.pool.busy(ctx, err)
	}
	for range q.pool.db.Stats().OpenConnections + 1 {
		if err == nil || q.pool.dialect.Failure(err) != Transient {
			break
		}
		err = lookUp()
	}
	return err
}

// wait waits for the connection, which a transaction has.
func (q *Queries) wait(ctx context.Context) (leave func(), err error) {
	if err := q.enter(ctx); err != nil {
		return nil, err
	}
	if q.tx != nil {
		return func() {}, nil
	}
	return q.pool.wait(ctx)
}

// Exec runs a statement and returns how many rows it changed.
func (q *Queries) Exec(ctx context.Context, portable string, args ...any) (int64, error) {
	leave, err := q.wait(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	stmt, bound, err := q.ready(ctx, portable, args)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, bound...)
	if err != nil {
		return 0, q.pool.busy(ctx, err)
	}
	q.pool.stalled.Store(false)
	return result.RowsAffected()
}

// ready returns a statement to run with its parameters.
func (q *Queries) ready(ctx context.Context, portable string, args []any) (prepared, []any, error) {
	stmt, err := q.prepare(ctx, portable)
	if err != nil {
		return prepared{}, nil, err
	}
	bound, err := stmt.statement.bind(q.pool.dialect, args)
	return stmt, bound, err
}

// prepare returns a statement on the pool or in the transaction.
func (q *Queries) prepare(ctx context.Context, portable string) (prepared, error) {
	if err := q.enter(ctx); err != nil {
		return prepared{}, err
	}
	if q.tx == nil {
		return q.pool.prepare(ctx, portable)
	}
	found, err := q.pool.find(portable)
	if err != nil {
		return prepared{}, err
	}
	if found.Stmt != nil {
		return prepared{Stmt: q.tx.StmtxContext(ctx, found.Stmt), statement: found.statement}, nil
	}
	q.unknown[portable] = true
	fresh, err := q.tx.PreparexContext(ctx, found.statement.text)
	if err != nil {
		return prepared{}, fmt.Errorf("prepare a statement: %w", err)
	}
	return prepared{Stmt: fresh, statement: found.statement}, nil
}

// learn prepares the statements that an ended transaction found unprepared. Errors are
// ignored: the next transaction tries again.
func (q *Queries) learn(ctx context.Context) {
	if len(q.unknown) == 0 {
		return
	}
	leave, err := q.pool.wait(ctx)
	if err != nil {
		return
	}
	defer leave()
	for portable := range q.unknown {
		if _, err := q.pool.prepare(ctx, portable); err != nil {
			return
		}
	}
}

// Search reads all rows into a slice, by a statement that is planned for its values.
func (q *Queries) Search(ctx context.Context, into any, portable string, args ...any) error {
	found, err := q.pool.find(portable)
	if err != nil {
		return err
	}
	bound, err := found.statement.bind(q.pool.dialect, args)
	if err != nil {
		return err
	}
	if err := q.enter(ctx); err != nil {
		return err
	}
	if q.tx != nil {
		return q.tx.SelectContext(ctx, into, found.statement.text, bound...)
	}
	leave, err := q.pool.wait(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return q.pool.db.SelectContext(ctx, into, found.statement.text, bound...)
}
