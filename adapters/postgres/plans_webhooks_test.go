package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/postgres"
	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/test/harness"
)

// The connections of the queues find every row by an index.
func TestQueuesGoByIndexes(t *testing.T) {
	t.Parallel()
	_, database := openStore(t)
	for name, want := range postgres.ByIndex() {
		var got string
		if err := database.Queues.GetContext(t.Context(), &got, "SHOW "+name); err != nil || got != want {
			t.Errorf("%s is %s on the connections of the queues, want %s (%v)", name, got, want, err)
		}
	}
}

// Webhooks are sent at the same cost whether nothing is due or 20,000, and whatever was sent
// before: also by plans that were made, and with statistics that were taken, when the tables
// were small.
func TestPlansOfWebhooks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	const many = 20_000
	for _, before := range []int{0, 1, 25, 5000} {
		t.Run(fmt.Sprintf("after %d", before), func(t *testing.T) {
			t.Parallel()
			e := explainedStore(t, harness.PostgresServer(t).DSN(), postgres.ByIndex())
			claims, feed := webhookstore.Claims(e.Store), webhookstore.Feed(e.Store)
			order := webhooks.ClaimOrder{Most: 64, InFlight: 10, Now: now}
			var claimed []webhooks.ClaimedDelivery
			claim := func(ctx context.Context) (n int, err error) {
				claimed, err = claims.Claim(ctx, order)
				if len(claimed) > 0 {
					order.After = claimed[len(claimed)-1].WebhookID
				}
				return len(claimed), err
			}
			finish := func(ctx context.Context) error {
				for _, one := range claimed {
					made := webhook.Attempt{At: now, StatusCode: 200}
					one.Note(made, 0, now)
					if _, err := claims.Finish(ctx, one, made); err != nil {
						return err
					}
				}
				return nil
			}
			e.fillWebhooks(t)
			e.deliver(t, "old", before, "NULL", "succeeded")
			e.exec(t, `VACUUM (ANALYZE)`)
			for k := range 3 {
				e.deliver(t, fmt.Sprintf("few%d-", k), 3, "'2026-05-04 11:00:00Z'", "pending")
				if _, err := claim(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := finish(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			e.deliver(t, "done", many, "NULL", "succeeded")
			e.deliver(t, "later", many, "'2026-05-04 12:30:00Z'", "failed")
			e.deliver(t, "due", many, "'2026-05-04 11:00:00Z'", "pending")
			e.cheap(t, "claim", "webhook_deliveries_due_at", e.finding(t, 64, claim))
			e.cheap(t, "claim beside what is sent", "webhook_deliveries_delivering", e.finding(t, 36, claim))
			claimed = claimed[:1]
			e.cheap(t, "finish", "webhook_deliveries_pkey", e.of(t, finish))
			e.cheap(t, "look", "webhook_subscriptions", e.of(t, func(ctx context.Context) error {
				_, err := claims.Wanted(ctx)
				return err
			}))
			e.exec(t, `INSERT INTO event_queue (event_id, org_id, kind) SELECT 'evt_' || i, '', 'role.created' FROM generate_series(1, 40) AS i`)
			e.cheap(t, "fan out", "event_queue_pkey", e.of(t, feed.Place))
		})
	}
}

// What events did is read by their identifiers, also by a plan that was made when nearly none
// had done anything.
func TestPlanOfChanges(t *testing.T) {
	t.Parallel()
	dsn := harness.PostgresServer(t).DSN()
	for i, mode := range planModes {
		e := explainedStore(t, dsn, map[string]string{"plan_cache_mode": mode})
		if i == 0 {
			e.exec(t, `VACUUM (ANALYZE) event_changes`)
			e.exec(t, `INSERT INTO event_changes (id, org_id, resource, object, actor_id, before, after)
				SELECT 'evt_' || i, '', 'role', '', '', '', '' FROM generate_series(1, 40000) AS i`)
		}
		asked := make([]event.ID, 500)
		for k := range asked {
			asked[k] = event.ID(fmt.Sprintf("evt_%d", k+1))
		}
		plan := e.finding(t, len(asked), func(ctx context.Context) (int, error) {
			found, err := e.ChangesOf(ctx, asked)
			return len(found), err
		})
		if strings.Contains(plan, "Filter") {
			t.Errorf("%s: each row is held against each identifier:\n%s", mode, plan)
		}
	}
}

// cheap fails unless plans go by an index to little more than what they return.
func (e *explained) cheap(t *testing.T, what, index, plan string) {
	t.Helper()
	if !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan") || most(plan) > 400 || thrown(plan) > 100 {
		t.Errorf("%s: want %s, and few rows:\n%s", what, index, plan)
	}
}

// delivered is how many webhooks there are.
const delivered = 10

func (e *explained) fillWebhooks(t *testing.T) {
	t.Helper()
	e.exec(t, `INSERT INTO webhook_endpoints (id, org_id, url, kinds, description, headers, secrets, rate_limit, enabled, disabled, created_at, updated_at, version)
		SELECT 'whk_' || i, '', 'https://example.com', '["*"]', '', '', '[]', 0, TRUE, '', now(), now(), 1 FROM generate_series(1, $1) AS i`, delivered)
	e.exec(t, `INSERT INTO webhook_subscriptions (endpoint_id, pattern, org_id) SELECT id, '*', '' FROM webhook_endpoints`)
}

// deliver stores deliveries in turn over the endpoints.
func (e *explained) deliver(t *testing.T, name string, count int, due, status string) {
	t.Helper()
	e.exec(t, `INSERT INTO webhook_deliveries (id, endpoint_id, org_id, event_id, kind, status, attempts, round, due_at, status_code, error, duration_ms, created_at)
		SELECT $1::text || i, 'whk_' || (i % $2 + 1), '', $1::text || i, 'role.created', $3, 1, 1, `+due+`::timestamptz, 0, '', 0, '2026-05-04 10:00:00Z'
		FROM generate_series(1, $4::int) AS i`, name, delivered, status, count)
}
