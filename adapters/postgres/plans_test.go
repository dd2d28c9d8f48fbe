package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/contract/sqlports"
	"gatehouse.internal/test/harness"
)

// explained is a store whose database tells the plan of each statement.
type explained struct {
	*sqlstore.Store

	db    *sqlx.DB
	mu    sync.Mutex
	plans []string
}

// explainedStore returns a store in clear on a server of its own, where the test may
// load what explains. Parameters are those of its connections.
func explainedStore(t *testing.T, dsn string, parameters map[string]string) *explained {
	t.Helper()
	config, err := pq.NewConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on",
		"auto_explain.log_timing": "off", "auto_explain.log_level": "notice", "timezone": "UTC",
	} {
		config.Runtime[name] = value
	}
	for name, value := range parameters {
		config.Runtime[name] = value
	}
	connector, err := pq.NewConnectorConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	e := &explained{}
	e.db = sqlx.NewDb(sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, e.note)), "postgres")
	c := sqlports.Config(t, sqlstore.Database{Dialect: postgres.Dialect{}, Write: e.db, Read: e.db, Hot: e.db, Queues: e.db, ChangesInWith: true})
	c.Personal = cipher.New(cipher.Keys{}, system.Random{})
	if e.Store, err = sqlstore.Open(t.Context(), c); err != nil {
		t.Fatal(err, e.db.Close())
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func (e *explained) note(notice *pq.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, plan, found := strings.Cut(notice.Message, "Query Text: "); found {
		e.plans = append(e.plans, plan)
	}
}

// of returns the plans of what a call did.
func (e *explained) of(t *testing.T, call func(ctx context.Context) error) string {
	t.Helper()
	take := func() string {
		e.mu.Lock()
		defer e.mu.Unlock()
		taken := strings.Join(e.plans, "\n")
		e.plans = nil
		return taken
	}
	take()
	if err := call(t.Context()); err != nil {
		t.Fatal(err)
	}
	return take()
}

// finding returns the plans of a search, which must find so many.
func (e *explained) finding(t *testing.T, want int, search func(ctx context.Context) (int, error)) string {
	t.Helper()
	return e.of(t, func(ctx context.Context) error {
		found, err := search(ctx)
		if err == nil && found != want {
			err = fmt.Errorf("%d found, want %d", found, want)
		}
		return err
	})
}

func (e *explained) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := e.db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// thrown is the largest number of rows that one step of a plan read in vain.
func thrown(plan string) int {
	most := 0
	for _, removed := range regexp.MustCompile(`Rows Removed by [A-Za-z ]+: (\d+)`).FindAllStringSubmatch(plan, -1) {
		n, _ := strconv.Atoi(removed[1])
		most = max(most, n)
	}
	return most
}

// Whether a plan is made for the values or for any.
var planModes = []string{"force_custom_plan", "force_generic_plan"}

// planned returns a store that explains itself in each of the modes, filled once.
func planned(t *testing.T, fill func(e *explained)) iter.Seq2[string, *explained] {
	t.Helper()
	dsn := harness.PostgresServer(t).DSN()
	return func(yield func(mode string, e *explained) bool) {
		for i, mode := range planModes {
			e := explainedStore(t, dsn, map[string]string{"plan_cache_mode": mode})
			if i == 0 {
				fill(e)
			}
			if !yield(mode, e) {
				return
			}
		}
	}
}

// planTime is when everything was stored that plans are made for.
func planTime() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// The log is searched by an index in its order, whatever it is searched by.
func TestPlansOfTheLog(t *testing.T) {
	t.Parallel()
	const events, ofKindInTime = 40_000, "of a rare kind, within a time"
	start := planTime()
	for mode, e := range planned(t, func(e *explained) { e.fillLog(t, start, events) }) {
		middle := start.Add(events / 2 * time.Second)
		type query = outbound.AuditQuery
		for _, c := range []struct {
			what  string
			query query
			index string
			found int
		}{
			{"all", query{}, "events_pkey", 21},
			{"within a time", query{From: middle, To: middle.Add(time.Hour)}, "events_pkey", 21},
			{"within a short time", query{From: middle, To: middle.Add(3 * time.Second)}, "events_pkey", 3},
			{"until a time, the next page", query{To: middle, Before: event.EarliestID(middle.Add(-time.Hour))}, "events_pkey", 21},
			{"of a hot kind", query{Kind: "session.refreshed"}, "events_pkey", 21},
			{"of a hot kind, until a time", query{Kind: "session.refreshed", To: middle}, "events_pkey", 21},
			{"of a common kind", query{Kind: "session.created"}, "events_kind", 21},
			{"of a rare kind", query{Kind: "login.failed"}, "events_kind", 5},
			{"of a kind that never happened", query{Kind: "role.assigned"}, "events_kind", 0},
			{ofKindInTime, query{Kind: "login.failed", From: start, To: middle}, "events_kind", 5},
		} {
			if c.what == ofKindInTime && mode == "force_generic_plan" {
				continue // Only the values tell which of two ranges is shorter.
			}
			c.query.Limit = 21
			plan := e.finding(t, c.found, func(ctx context.Context) (int, error) {
				found, err := e.AuditTrail().Search(ctx, c.query)
				return len(found), err
			})
			if !strings.Contains(plan, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan, "Seq Scan") || thrown(plan) > 100 {
				t.Errorf("%s, %s: want %s without a sort:\n%s", c.what, mode, c.index, plan)
			}
		}
	}
}

// A search of several parts of the log reads a page of each by its index.
func TestPlansOfPartsOfTheLog(t *testing.T) {
	t.Parallel()
	const events = 40_000
	start := planTime()
	for mode, e := range planned(t, func(e *explained) { e.fillLog(t, start, events) }) {
		type query = outbound.AuditQuery
		for _, c := range []struct {
			what    string
			query   query
			indexes []string
			found   int
		}{
			{"somebody's own", query{Own: "usr_busy"}, []string{"events_user_id", "events_actor_id"}, 21},
			{"of a request", query{RequestID: requestOf(start.Add(time.Hour))}, []string{"events_pkey", "events_request_index"}, 1},
			{"of a caller's request", query{RequestID: "callers"}, []string{"events_request_index"}, 0},
		} {
			c.query.Limit = 21
			plan := e.finding(t, c.found, func(ctx context.Context) (int, error) {
				found, err := e.AuditTrail().Search(ctx, c.query)
				return len(found), err
			})
			for _, index := range c.indexes {
				if !strings.Contains(plan, index) {
					t.Errorf("%s, %s: want %s:\n%s", c.what, mode, index, plan)
				}
			}
			if strings.Contains(plan, "Seq Scan") || thrown(plan) > 100 {
				t.Errorf("%s, %s: reads in vain:\n%s", c.what, mode, plan)
			}
		}
	}
}

// requestOf is a request identifier that the service mints at a moment.
func requestOf(moment time.Time) string {
	millis := moment.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", millis>>16, millis&0xffff)
}

// fillLog stores events, one each second: first a few of a rare kind, then every
// tenth of a common one among those of every refresh. One user does half of it.
func (e *explained) fillLog(t *testing.T, start time.Time, count int) {
	t.Helper()
	ids, kinds, times := make([]string, count), make([]string, count), make([]string, count)
	users, actors, requests := make([]string, count), make([]string, count), make([]string, count)
	for i := range count {
		happened := start.Add(time.Duration(i) * time.Second)
		ids[i], times[i], kinds[i] = event.EarliestID(happened).String(), happened.Format(time.RFC3339Nano), "session.refreshed"
		requests[i] = requestOf(happened)
		if i%2 == 0 {
			users[i], actors[i] = "usr_busy", "usr_busy"
		}
		switch {
		case i < 5:
			kinds[i] = "login.failed"
		case i%10 == 0:
			kinds[i] = "session.created"
		}
	}
	e.exec(t, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index,
		user_agent, request_id, command, data)
		SELECT id, kind, at, 'success', about, '', 'user', actor, '', '', '', '', request, '', '{}'
		FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[]) AS r(id, kind, at, about, actor, request)`,
		pq.Array(ids), pq.Array(kinds), pq.Array(times), pq.Array(users), pq.Array(actors), pq.Array(requests))
	e.exec(t, `VACUUM (ANALYZE) events`)
}

// Accounts are found by parts and beginnings of names without reading many in vain,
// however many have them, and however old these are.
func TestPlansOfSearches(t *testing.T) {
	t.Parallel()
	for mode, e := range planned(t, func(e *explained) { e.fillUsers(t) }) {
		type query = people.UserQuery
		for _, c := range []struct {
			what   string
			query  query
			found  int
			thrown int
		}{
			{"nobody", query{Text: "nobody at all"}, 0, newestLooked},
			{"one address", query{Text: "160001@"}, 1, newestLooked},
			{"a few old ones", query{Text: "cient 10077"}, 10, newestLooked},
			{"a few old ones, disabled", query{Text: "cient 10077", Status: "disabled"}, 0, newestLooked + 10},
			{"thousands of old ones", query{Text: "cient 101"}, 51, newestLooked},
			{"most accounts", query{Text: "ember"}, 51, 0},
			{"most accounts, by their beginning", query{Text: "me"}, 51, 0},
			{"more than a few, but old", query{Text: "cient"}, 51, 60_000},
		} {
			c.query.Limit = 51
			plan := e.finding(t, c.found, func(ctx context.Context) (int, error) {
				found, err := peoplestore.UserDirectory(e.Store).List(ctx, c.query)
				return len(found), err
			})
			if strings.Contains(plan, "Seq Scan on users") && c.what != "more than a few, but old" || thrown(plan) > c.thrown {
				t.Errorf("%s, %s:\n%s", c.what, mode, plan)
			}
		}
	}
}

// newestLooked is how many of the newest accounts are compared before the index is used.
const newestLooked = 20_000

// fillUsers stores 25,000 old accounts and 60,000 newer ones.
func (e *explained) fillUsers(t *testing.T) {
	t.Helper()
	e.exec(t, `INSERT INTO users (id, email, email_index, email_folded, email_verified, display_name, name_folded, avatar, locale,
		timezone, external_id, metadata, superadmin, status, disabled_why, created_at, updated_at, version)
		SELECT 'usr_01jd7x9k2mf3q8v5t0ab' || i, 'p' || i || '@example.com', i::text, 'p' || i || '@example.com', TRUE, name || i, name || i,
		'', '', '', '', '{}', FALSE, 'active', '', now(), now(), 1
		FROM (SELECT i, CASE WHEN i < 125000 THEN 'ancient ' ELSE 'member ' END AS name FROM generate_series(100000, 184999) AS i) AS r`)
	for last, index := user.ID(""), peoplestore.SearchIndex(e.Store); ; {
		var err error
		if last, err = index.Fill(t.Context(), last, 5000); err != nil {
			t.Fatal(err)
		} else if last == "" {
			break
		}
	}
	e.exec(t, `VACUUM (ANALYZE) users, user_search`)
}
