package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/semaphore"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/ports/outbound"
)

// Database is an opened database: its dialect and its connections.
type Database struct {
	Dialect Dialect
	// Write runs transactions, Read runs look-ups; they may be the same.
	Write, Read *sqlx.DB
	// Hot has the connections for the batches that requests share. Nothing else uses them, so
	// that transactions which wait for each other cannot starve them. If only one connection
	// may write, it is Write.
	Hot *sqlx.DB
	// Queues has the connections for working off queues. They are few, so that a backlog does
	// not delay requests. If only one connection may write, it is Write.
	Queues *sqlx.DB
	// Turns is what Write, Hot and Queues wait at where they are one connection, so that it goes
	// to who waits the longest: package database/sql chooses any of them. Nil where there are more.
	Turns chan struct{}
	// ChangesInWith reports whether WITH takes statements that change rows, so that what
	// belongs together can be one statement and one round trip.
	ChangesInWith bool
}

// Close closes all connections.
func (d Database) Close() error {
	var errs []error
	closed := map[*sqlx.DB]bool{}
	for _, db := range []*sqlx.DB{d.Queues, d.Hot, d.Read, d.Write} {
		if db != nil && !closed[db] {
			closed[db] = true
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Config holds what a store needs; every field but CheckOnly is required.
type Config struct {
	Database Database
	// CheckOnly refuses a schema that is too old instead of migrating it.
	CheckOnly bool
	// Personal seals personal data (ENCRYPTION_KEY), Secrets the signing keys (JWT_SECRET). If
	// Personal returns values unchanged, personal data is stored in clear.
	Personal, Secrets outbound.Sealer
	Clock             outbound.Clock
	IDs               outbound.IDs
	Random            outbound.Random
	Logger            *slog.Logger
}

// Store is the store of the service in a SQL database.
type Store struct {
	dialect          Dialect
	database         Database
	write, read, hot *pool
	personal         outbound.Sealer
	secrets          outbound.Sealer
	blinder          outbound.Blinder
	// clear reports whether personal data is not sealed.
	clear  bool
	clock  outbound.Clock
	ids    outbound.IDs
	random outbound.Random
	log    *slog.Logger
	// notices maps kinds of events to the notices that they raise.
	notices map[event.Kind]notice.Definition

	admission *admission
	memory    *memory
	rotations *rotations
	turns     *turns
	issues    *issues
	proofs    *proofs
	lastUses  *lastUses
	// mailed receives a signal after a request for mail was committed.
	mailed chan struct{}
	// evented receives a signal after events were committed.
	evented chan struct{}
	// asides are the changes of reads that are under way.
	asides *sync.WaitGroup
	// commands limits the transactions around whole commands.
	commands *semaphore.Weighted
	// queues is this store on the connections of the queues.
	queues *Store
}

var (
	_ outbound.Transactions = (*Store)(nil)
	_ outbound.Answers      = (*Store)(nil)
)

// Open opens a store on a database: it brings the schema up to date, makes sure that the
// instance has its row and index key, and opens that key. If Open fails, closing the database
// is left to the caller.
func Open(ctx context.Context, c Config) (*Store, error) {
	const probe = "probe"
	s := &Store{
		dialect: c.Database.Dialect, database: c.Database,
		personal: c.Personal, secrets: c.Secrets,
		clear: c.Personal.Seal(probe, probe) == probe,
		clock: c.Clock, ids: c.IDs, random: c.Random, log: c.Logger,
		notices: notice.ByEvent(),
	}
	s.write = newPool(c.Database.Write, s.dialect, c.Database.Turns)
	s.read, s.hot = s.write, s.write
	if c.Database.Read != c.Database.Write {
		s.read = newPool(c.Database.Read, s.dialect, nil)
	}
	if c.Database.Hot != c.Database.Write {
		s.hot = newPool(c.Database.Hot, s.dialect, c.Database.Turns)
	}
	if err := s.migrate(ctx, c.CheckOnly); err != nil {
		return nil, err
	}
	key, err := s.indexKey(ctx)
	if err != nil {
		return nil, err
	}
	s.blinder = cipher.NewBlinder(key)
	s.memory = newMemory()
	s.admission, s.rotations, s.turns = newAdmission(s), newRotations(s), newTurns(s)
	s.issues = newIssues(s)
	s.proofs = newProofs(s)
	s.lastUses, s.asides = newLastUses(s), &sync.WaitGroup{}
	s.mailed, s.evented = make(chan struct{}, 1), make(chan struct{}, 1)
	s.commands = semaphore.NewWeighted(int64(max(1, c.Database.Write.Stats().MaxOpenConnections/2)))
	s.queues = s.onQueues(c.Database)
	return s, nil
}

func (s *Store) onQueues(d Database) *Store {
	if d.Queues == d.Write {
		return s
	}
	q := *s
	q.write = newPool(d.Queues, s.dialect, d.Turns)
	q.read = q.write
	return &q
}

// Queues returns this store on the connections for working off queues. It is not for commands,
// because it ignores the transactions around them.
func (s *Store) Queues() *Store { return s.queues }

// Close closes the database. Calls under way fail.
func (s *Store) Close() error {
	s.asides.Wait()
	if err := s.database.Close(); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// Database returns the connections, for their figures.
func (s *Store) Database() Database { return s.database }

// Blinder returns the keyed hash function by which sealed values and counters are found.
func (s *Store) Blinder() outbound.Blinder { return s.blinder }

// Dialect returns the dialect of the database.
func (s *Store) Dialect() Dialect { return s.dialect }

// Personal seals personal data.
func (s *Store) Personal() outbound.Sealer { return s.personal }

// Secrets seals what only the service itself may read: signing keys, mail, tokens of
// providers.
func (s *Store) Secrets() outbound.Sealer { return s.secrets }

// InClear reports whether personal data is not sealed.
func (s *Store) InClear() bool { return s.clear }

// Clock returns the clock of the store.
func (s *Store) Clock() outbound.Clock { return s.clock }

// IDs mints the identifiers of the store.
func (s *Store) IDs() outbound.IDs { return s.ids }

// Mailed receives a signal after this process committed a request for mail.
func (s *Store) Mailed() <-chan struct{} { return s.mailed }

// Evented receives a signal after this process committed events.
func (s *Store) Evented() <-chan struct{} { return s.evented }

// signal sends to a channel unless a signal is already pending.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Place returns the name of the place of a sealed value, to which it is bound.
func Place(table, column, id string) string { return table + "/" + column + "/" + id }
