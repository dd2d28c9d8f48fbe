package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound"
)

// Tx is an open transaction, or a savepoint of one. Functions such as people.Users return the
// repositories that write in it.
type Tx struct {
	*Queries

	store *Store
	// kinds are the kinds of all events so far; happened are the events yet to be written, raised
	// their notices, and changes their changes of configuration.
	kinds    []event.Kind
	happened Rows
	raised   []raisedNotice
	changes  Rows
	// broken is why a savepoint could not be rolled back; nothing may be committed then.
	broken error
	// last is run just before the commit.
	last []func(context.Context) error
	// mailed reports whether a mail was queued.
	mailed bool
	// evented reports whether events were written.
	evented bool
	// credentialChecked reports whether the credential that the transaction acts by was found valid.
	credentialChecked bool
	// leave lets the next one have the connection; it is nil between two transactions.
	leave func()
	// around is set only for the transaction around a command.
	around *around
}

// Store returns the store of the transaction.
func (t *Tx) Store() *Store { return t.store }

// WakeMailer wakes the mailer after the commit.
func (t *Tx) WakeMailer() { t.mailed = true }

// Last registers something to do outside the database just before the commit. If it fails, the
// transaction is rolled back. It is not done if the transaction or savepoint that registered it
// is rolled back, as in a dry run. If the commit itself fails, it has been done all the same.
func (t *Tx) Last(do func(ctx context.Context) error) { t.last = append(t.last, do) }

// finish runs what Last registered.
func (t *Tx) finish(ctx context.Context) error {
	for _, do := range t.last {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// NewUnit returns the unit of work of a family; bind returns its repositories for an open
// transaction.
func NewUnit[R any](s *Store, bind func(*Tx) R) outbound.Unit[R] {
	return unit[R]{store: s, bind: bind}
}

type unit[R any] struct {
	store *Store
	bind  func(*Tx) R
}

// Do runs the change in a transaction, and again if it lost a race.
func (u unit[R]) Do(ctx context.Context, change func(tx R) error) error {
	return u.store.Do(ctx, func(tx *Tx) error { return change(u.bind(tx)) })
}

// Do runs work in a transaction, and again if it lost a race.
func (s *Store) Do(ctx context.Context, work func(*Tx) error) error {
	return s.retry(ctx, func() error { return s.Transact(ctx, work) })
}

// ambientKey is the context key of the transaction around a command.
type ambientKey struct{ store *Store }

// ambient returns the transaction around the command of a context, if there is one. Everything
// that reads or writes under such a context has to use it, because its changes are not visible
// outside, and on SQLite it holds the only connection that can write.
func (s *Store) ambient(ctx context.Context) (*Tx, bool) {
	tx, ok := ctx.Value(ambientKey{s}).(*Tx)
	return tx, ok
}

// Enclosed reports whether a transaction is open around the command.
func (s *Store) Enclosed(ctx context.Context) bool {
	_, around := s.ambient(ctx)
	return around
}

// begun is ambient for a transaction that has begun. Until then what was committed is all that
// it would read.
func (s *Store) begun(ctx context.Context) (*Tx, bool) {
	tx, ok := s.ambient(ctx)
	return tx, ok && tx.tx != nil
}

// Reader returns queries in the transaction around the command once that has begun, or else on
// the pool for reading.
func (s *Store) Reader(ctx context.Context) *Queries {
	if tx, ok := s.begun(ctx); ok {
		return tx.Queries
	}
	return &Queries{pool: s.read}
}

var errDropped = errors.New("the transaction is not to be kept")

// Within runs work in one transaction; units of work under its context become savepoints of it.
// Such a transaction begins when it is first used, so that a command has hashed passwords before.
// It may stay open while the command waits for another call with the same key. It may therefore
// use only half of the connections, so that enough are left for short transactions.
func (s *Store) Within(ctx context.Context, work func(ctx context.Context) bool) error {
	if outer, inner := s.ambient(ctx); inner {
		return unlessDropped(outer.Savepoint(ctx, func(tx *Tx) error { return tx.surround(ctx, work) }))
	}
	a := &around{store: s}
	tx := &Tx{store: s, Queries: &Queries{pool: s.write, unknown: map[string]bool{}}, around: a}
	tx.open = tx.resume
	kept := false
	defer func() {
		if !kept {
			a.unclaim(ctx)
		}
	}()
	defer a.leave()
	err := tx.complete(ctx, func(tx *Tx) error { return tx.surround(ctx, work) })
	kept = err == nil
	return unlessDropped(err)
}

// surround runs work under a context whose units of work are savepoints of the transaction.
func (t *Tx) surround(ctx context.Context, work func(ctx context.Context) bool) error {
	if !work(context.WithValue(ctx, ambientKey{t.store}, t)) {
		return errDropped
	}
	return nil
}

func unlessDropped(err error) error {
	if errors.Is(err, errDropped) {
		return nil
	}
	return err
}

// Transact runs work in a savepoint of the transaction around the command, or else in its own
// transaction. It fails if the credential that the context acts by is no longer valid.
func (s *Store) Transact(ctx context.Context, work func(*Tx) error) error {
	// The lock of the credential must not be released with a savepoint.
	if outer, ok := s.ambient(ctx); ok {
		if err := outer.stand(ctx); err != nil {
			return err
		}
	}
	return s.transact(ctx, func(tx *Tx) error {
		if err := tx.stand(ctx); err != nil {
			return err
		}
		return work(tx)
	})
}

// transact is Transact without the check of the credential.
func (s *Store) transact(ctx context.Context, work func(*Tx) error) error {
	if outer, ok := s.ambient(ctx); ok {
		return outer.Savepoint(ctx, work)
	}
	return s.transactOn(ctx, s.units(ctx), work)
}

// units returns the pool for units of work: those of a command that only reads do not wait for
// the one connection that writes.
func (s *Store) units(ctx context.Context) *pool {
	if outbound.Reading(ctx) {
		return s.read
	}
	return s.write
}

// AtOnce runs work that is a single statement and records no event. It runs in a savepoint of
// the transaction around the command, or else in a transaction if there is a credential to
// check, or else without a transaction.
func (s *Store) AtOnce(ctx context.Context, work func(*Tx) error) error {
	if _, ok := s.ambient(ctx); ok {
		return s.Transact(ctx, work)
	}
	if outbound.ActingOf(ctx) != nil {
		return s.Do(ctx, work)
	}
	defer s.handOver()
	alone := &Tx{store: s, Queries: &Queries{pool: s.units(ctx)}}
	return s.retry(ctx, func() error { return work(alone) })
}

// errCommit marks a failed commit. Because its outcome is unknown, it is never retried.
var errCommit = errors.New("commit the transaction")

// transactOn runs work in a transaction of a pool.
func (s *Store) transactOn(ctx context.Context, p *pool, work func(*Tx) error) error {
	tx := &Tx{store: s, Queries: &Queries{pool: p, unknown: map[string]bool{}}}
	if err := tx.begin(ctx); err != nil {
		return err
	}
	return tx.complete(ctx, work)
}

// complete does the work, and commits the transaction or rolls it back.
func (t *Tx) complete(ctx context.Context, work func(*Tx) error) error {
	defer t.store.handOver()
	defer t.learn(ctx)
	defer t.end()
	if err := t.run(ctx, work); err != nil {
		return err
	}
	return t.commit(ctx)
}

// begin begins a transaction once the connection is free.
func (t *Tx) begin(ctx context.Context) error {
	leave, err := t.pool.wait(ctx)
	if err != nil {
		return err
	}
	inner, err := t.pool.db.BeginTxx(ctx, nil)
	if err != nil {
		leave()
		return fmt.Errorf("begin a transaction: %w", t.pool.busy(ctx, err))
	}
	t.pool.stalled.Store(false)
	t.tx, t.leave = inner, leave
	return nil
}

// end releases the connection. What was not committed is rolled back.
func (t *Tx) end() {
	if t.leave == nil {
		return // it did not begin
	}
	_ = t.tx.Rollback() // does nothing once it was committed
	t.leave()
	t.leave = nil
}

// handOver lets a goroutine that waits for the connection run before the one that released it.
// Where a single connection writes, it would otherwise stay idle while its last user signs and
// answers: without this AUTH.REFRESH on SQLite takes a seventh more processor time, and
// M2M.TOKEN a sixth.
func (s *Store) handOver() {
	if s.hot == s.write {
		runtime.Gosched()
	}
}

// commit commits the transaction, and signals what was stored in it.
func (t *Tx) commit(ctx context.Context) error {
	if t.tx == nil {
		return nil // it did not begin
	}
	if err := t.finish(ctx); err != nil {
		return err
	}
	err := t.tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		// The end of the context rolled it back before the commit was sent.
		return fmt.Errorf("commit the transaction: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	event.Stored(ctx, t.kinds...)
	if t.evented {
		signal(t.store.evented)
	}
	if t.mailed {
		t.store.nudge()
	}
	return nil
}

// run does the work and flushes the transaction. It may be committed if run returns nil.
func (t *Tx) run(ctx context.Context, work func(*Tx) error) error {
	if err := work(t); err != nil {
		return err
	}
	return t.flush(ctx)
}

// flush writes the events that are yet to be written. It fails if nothing may be committed.
func (t *Tx) flush(ctx context.Context) error {
	if t.broken != nil {
		return t.broken
	}
	return t.writeEvents(ctx)
}

// Savepoint runs work in a savepoint, which is rolled back alone if the work fails.
func (t *Tx) Savepoint(ctx context.Context, work func(*Tx) error) error {
	if err := t.enter(ctx); err != nil {
		return err
	}
	if err := t.writeEvents(ctx); err != nil {
		return err
	}
	if _, err := t.tx.ExecContext(ctx, "SAVEPOINT unit"); err != nil {
		return fmt.Errorf("set a savepoint: %w", err)
	}
	released := false
	defer func() {
		if !released {
			t.undo(ctx)
		}
	}()
	inner := &Tx{store: t.store, Queries: t.Queries, credentialChecked: t.credentialChecked}
	if err := inner.run(ctx, work); err != nil {
		return err
	}
	if _, err := t.tx.ExecContext(ctx, "RELEASE SAVEPOINT unit"); err != nil {
		return fmt.Errorf("release the savepoint: %w", err)
	}
	released = true
	t.last = append(t.last, inner.last...)
	t.mailed, t.evented = t.mailed || inner.mailed, t.evented || inner.evented
	event.Stored(ctx, inner.kinds...)
	return nil
}

// undo rolls back to the last savepoint.
func (t *Tx) undo(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	_, err := t.tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT unit")
	if err == nil {
		_, err = t.tx.ExecContext(ctx, "RELEASE SAVEPOINT unit")
	}
	if err != nil {
		t.broken = fmt.Errorf("go back to the savepoint: %w", err)
	}
}

// writer returns queries in the transaction around the command, or else on the pool for writing.
func (s *Store) writer(ctx context.Context) *Queries {
	if tx, ok := s.ambient(ctx); ok {
		return tx.Queries
	}
	return &Queries{pool: s.write}
}
