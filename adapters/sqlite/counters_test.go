package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/contract"
	"gatehouse.internal/test/contract/sqlports"
)

// stopped is a clock that stands, beside which that of the counters moves.
type stopped struct{ now time.Time }

func (c stopped) Now() time.Time { return c.now }

func TestCountersContract(t *testing.T) {
	t.Parallel()
	contract.AdmissionCountsLocked(t, func(t *testing.T) func(contract.Conditions) (*contract.Ports, error) {
		file := filepath.Join(t.TempDir(), "gatehouse.db")
		return func(c contract.Conditions) (*contract.Ports, error) {
			database, err := sqlite.Open(file)
			if err != nil {
				return nil, err
			}
			config := sqlports.Config(t, database)
			config.Clock = stopped{c.Clock.Now()}
			store, err := sqlstore.Open(t.Context(), config)
			if err != nil {
				return nil, errors.Join(err, database.Close())
			}
			counters := countersOf(t, file, c.Clock)
			ports := sqlports.Ports(store)
			ports.Admission, ports.LimitCounters = counters.Admission(store.Admission()), counters
			ports.Unit = sqlstore.NewUnit(store, func(tx *sqlstore.Tx) contract.Repos {
				repos := sqlports.Repos(tx)
				repos.LimitRules = counters.Rules(repos.LimitRules, tx.Last)
				return repos
			})
			return ports, nil
		}
	})
}

func countersOf(t *testing.T, database string, clock outbound.Clock) *sqlite.Counters {
	t.Helper()
	counters, err := sqlite.OpenCounters(t.Context(), database, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := counters.Close(); err != nil {
			t.Error(err)
		}
	})
	return counters
}

// counting stands for a store that asks for nothing but the limits.
type counting struct{}

func (counting) Admit(context.Context, outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	return outbound.AdmissionAnswer{Revision: 1}, nil
}

// Expired counters are removed by the calls that follow.
func TestExpiredCountersAreRemoved(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gatehouse.db")
	clock := &stopped{time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	admission := countersOf(t, file, clock).Admission(counting{})
	count := func(key string) {
		check := outbound.LimitCheck{Key: key, Rule: limit.Rule{Limit: 5, Window: time.Minute}}
		if _, err := admission.Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); err != nil {
			t.Fatal(err)
		}
	}
	count("a")
	count("b")
	clock.now = clock.now.Add(time.Hour)
	count("c")
	beside, err := sqlx.Open("sqlite", file+".counters")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = beside.Close() }()
	var left []string
	if err := beside.Select(&left, "SELECT key FROM rate_limits"); err != nil || len(left) != 1 || left[0] != "c" {
		t.Errorf("%q are left, %v", left, err)
	}
}

// While another process keeps the counters locked, requests are told to come back.
func TestLockedCounters(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gatehouse.db")
	admission := countersOf(t, file, stopped{time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}).Admission(counting{})
	beside, err := sqlx.Open("sqlite", file+".counters?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = beside.Close() }()
	held, err := beside.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := outbound.AdmissionAsk{Checks: []outbound.LimitCheck{{Key: "a", Rule: limit.Rule{Limit: 5, Window: time.Minute}}}}
	_, err = admission.Admit(t.Context(), ask)
	if refusal := fault.From(err); !refusal.Service || refusal.RetryAfter <= 0 {
		t.Errorf("a request while the counters are locked: %v", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := admission.Admit(t.Context(), ask); err != nil {
		t.Errorf("a request afterwards: %v", err)
	}
}
