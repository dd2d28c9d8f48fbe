package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	signinport "gatehouse.internal/ports/outbound/signin"
)

// The history of an account is found by indexes that lead to its rows alone, however many
// refreshes, logins of others and failures there are.
func TestPlanOfAHistory(t *testing.T) {
	t.Parallel()
	now := planTime()
	const first = user.ID("usr_00000000000000000000000001")
	for mode, e := range planned(t, func(e *explained) {
		e.fillPeople(t, now)
		// One account in 400 has 100 logins, 900 refreshes and 100 failures.
		e.exec(t, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, command, data)
			SELECT $2::text || lpad(i::text, 16, '0'), CASE WHEN i / 400 % 10 = 0 THEN 'session.created' ELSE 'session.refreshed' END, $1, 'success',
				'usr_' || lpad((i % 400)::text, 26, '0'), '', 'anonymous', '', '', '', (i % 7)::text, '', '', '', '{}'
			FROM generate_series(1, 400000) AS i`, now, event.EarliestID(now).String()[:14])
		e.exec(t, `VACUUM (ANALYZE) events`)
	}) {
		plan := e.finding(t, 50, func(ctx context.Context) (int, error) {
			var found int
			err := e.Transact(ctx, func(tx *sqlstore.Tx) error {
				history, err := signin.RiskHistories(tx).Of(ctx, signinport.RiskQuery{
					User: first, IP: "192.0.2.1", Client: "Firefox", Device: "digest", Now: now, RememberedAfter: now, KnownFor: time.Hour,
				})
				found = len(history.Logins)
				return err
			})
			return found, err
		})
		for _, index := range []string{"events_logins", "events_failures", "events_failed_logins", "known_clients_pkey"} {
			if !strings.Contains(plan, index) {
				t.Errorf("%s: want %s:\n%s", mode, index, plan)
			}
		}
		if strings.Contains(plan, "Seq Scan on events") || thrown(plan) > 0 {
			t.Errorf("%s: rows are read and thrown away:\n%s", mode, plan)
		}
	}
}
