package contract

import (
	"context"
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/ports/outbound"
)

// Tables is one replica of a store in a SQL database, with what a test needs to look at
// its tables.
type Tables struct {
	*Ports

	Read, Write *sqlx.DB
	// Placeholders writes the question marks of a statement as the database has them.
	Placeholders func(statement string) string
	// Index makes the keyed hash that a sealed value is found by.
	Index func(label, value string) string
	// AtEnd is a unit of work that can leave something for the end of its transaction.
	AtEnd outbound.Unit[func(do func(ctx context.Context) error)]
}

// TableOpener is an Opener of a store in a SQL database.
type TableOpener func(t *testing.T) func(c Conditions) (*Tables, error)

// Ports opens the same stores, for the suites of all.
func (o TableOpener) Ports(t *testing.T) func(c Conditions) (*Ports, error) {
	t.Helper()
	again := o(t)
	return func(c Conditions) (*Ports, error) {
		opened, err := again(c)
		if err != nil {
			return nil, err
		}
		return opened.Ports, nil
	}
}

// SQL is what the suites of stores in SQL databases need.
type SQL struct {
	// Open opens databases that have the schema and nothing in it, Empty such as have
	// nothing.
	Open, Empty TableOpener
	// Outdated is the error of a schema that is out of date, WrongKey that of a key that
	// is not the one of the database.
	Outdated, WrongKey error
}

// RunTables runs what is checked by looking at the tables of a SQL database, or by
// changing rows behind the back of the store.
func RunTables(t *testing.T, s SQL) {
	t.Helper()
	t.Run("DecidesAboutTables", decidesAboutTables)
	for name, run := range map[string]func(*testing.T, SQL){
		"Opening": opening, "Reencryption": reencryption, "UserSearches": userSearches, "SearchIndex": searchIndex,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, s)
		})
	}
	for name, check := range tableChecks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(newTables(t, s.Open), t)
		})
	}
}

func tableChecks() map[string]func(w *tables, t *testing.T) {
	return map[string]func(w *tables, t *testing.T){
		"AppsUnclaimed": (*tables).appsUnclaimed, "EntrantDeleted": (*tables).entrantDeleted, "EventsQueued": (*tables).eventsQueued,
		"KeyTexts":   (*tables).apiKeysForgetTexts,
		"KeysPurged": (*tables).apiKeysLeave, "ClientsBroken": (*tables).clientsBroken, "CountersBroken": (*tables).clearsCounters,
		"LastUsesUnasked": (*tables).lastUsesUnasked, "LeftForTheEnd": (*tables).withinLast, "QuotasPurged": (*tables).quotasPurged,
		"RingStays": (*tables).keysStay, "UsersDeleted": (*tables).usersLeaveNoRows, "Voided": (*tables).voidLeavesNoRows,

		"SealedChallenges": (*tables).challengesSealed, "SealedDevices": (*tables).devicesSealed, "SealedEvents": (*tables).eventsSealed,
		"SealedFactors": (*tables).factorsSealed, "SealedIdentities": (*tables).identitiesSealed, "SealedKeys": (*tables).keysSealed,
		"SealedMail": (*tables).mailSealed, "SealedNotices": (*tables).noticesSealed, "SealedProviders": (*tables).socialSealed,
		"SealedSuppressions": (*tables).suppressionsSealed,
	}
}

// tables is a world whose tables can be looked at.
type tables struct {
	*world

	database *Tables
}

func newTables(t *testing.T, open TableOpener) *tables {
	t.Helper()
	return openTables(t, open(t), Defaults(t))
}

func openTables(t *testing.T, open func(c Conditions) (*Tables, error), c Conditions) *tables {
	t.Helper()
	opened, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	again := func(c Conditions) (*Ports, error) {
		other, err := open(c)
		if err != nil {
			return nil, err
		}
		return other.Ports, nil
	}
	return &tables{world: worldOf(t, opened.Ports, again, c), database: opened}
}

// text reads one value of one row, as text.
func (w *tables) text(t *testing.T, query string, args ...any) string {
	t.Helper()
	var value string
	if err := w.database.Read.GetContext(t.Context(), &value, w.database.Placeholders(query), args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// count counts the rows of a table that a condition holds for.
func (w *tables) count(t *testing.T, table, condition string, args ...any) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(w.text(t, "SELECT CAST(COUNT(*) AS TEXT) FROM "+table+" WHERE "+condition, args...), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// exec runs a statement of the test's own.
func (w *tables) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := w.database.Write.ExecContext(t.Context(), w.database.Placeholders(statement), args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
