package webhooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

// finishedAttempt is an attempt, and the delivery with its outcome.
type finishedAttempt struct {
	claimed webhooks.ClaimedDelivery
	attempt webhook.Attempt
}

// Finish stores an attempt and the outcome of its delivery, in one transaction with concurrent ones. It
// returns the health of an endpoint that fails.
func (c *claims) Finish(ctx context.Context, one webhooks.ClaimedDelivery, a webhook.Attempt) (webhook.Health, error) {
	return c.finished.Do(ctx, finishedAttempt{one, a})
}

// turn is one claim of a delivery. It distinguishes the current claim from an earlier one that may finish
// after its lease.
type turn struct {
	ID   webhook.DeliveryID `db:"id"`
	Turn int                `db:"turn"`
}

// finishDeliveries has the expected status as a parameter and not as a literal, so that the planner finds
// the deliveries by their identifiers and not by the index on the status.
const finishDeliveries = `
UPDATE webhook_deliveries SET status = r.status, attempts = r.attempts, round = r.round, due_at = r.due_at,
	status_code = r.status_code, error = r.error, finished_at = r.finished_at, duration_ms = r.duration_ms
FROM {rows id text, turn bigint, found text, status text, attempts bigint, round bigint, due_at time, status_code bigint, error text, finished_at time, duration_ms bigint}
WHERE webhook_deliveries.id {any id text} AND webhook_deliveries.id = r.id AND webhook_deliveries.turn = r.turn AND webhook_deliveries.status = r.found
RETURNING webhook_deliveries.id, webhook_deliveries.turn`

func (c *claims) finish(ctx context.Context, all []finishedAttempt) ([]batch.Outcome[webhook.Health], error) {
	outcomes := make([]batch.Outcome[webhook.Health], len(all))
	err := c.store.Do(ctx, func(tx *sqlstore.Tx) error {
		ended, ids := make(sqlstore.Rows, len(all)), make([]webhook.DeliveryID, len(all))
		for i, one := range all {
			d := one.claimed.Delivery
			ids[i] = d.ID
			ended[i] = []any{
				d.ID.String(), one.claimed.Turn, string(webhook.Delivering), string(d.Status), d.Attempts, d.Round, sqlstore.At(d.DueAt),
				d.StatusCode, d.Error, sqlstore.At(d.FinishedAt), one.attempt.Duration.Milliseconds(),
			}
		}
		var stored []turn
		if err := tx.List(ctx, &stored, finishDeliveries, ended, sqlstore.OneColumn(ids)); err != nil {
			return err
		}
		ours := slices.DeleteFunc(slices.Clone(all), func(one finishedAttempt) bool {
			return !slices.Contains(stored, turn{one.claimed.ID, one.claimed.Turn})
		})
		if err := c.addAttempts(ctx, tx, ours); err != nil {
			return err
		}
		if err := tx.Events().Record(ctx, died(ours)...); err != nil {
			return err
		}
		health, err := noteHealth(ctx, tx, ours)
		for i, one := range all {
			outcomes[i].Answer = health[one.claimed.WebhookID]
		}
		return err
	})
	return outcomes, sqlstore.Wrap("finish deliveries", err)
}

// died returns the events of the deliveries that died with their last attempt.
func died(all []finishedAttempt) (events []event.Data) {
	for _, one := range all {
		if happened, is := one.claimed.Died(one.attempt); is {
			events = append(events, happened)
		}
	}
	return events
}

func (c *claims) addAttempts(ctx context.Context, tx *sqlstore.Tx, all []finishedAttempt) error {
	var rows sqlstore.Rows
	for _, one := range all {
		if one.attempt.At.IsZero() {
			continue // nothing was sent
		}
		id := fmt.Sprintf("%s/%03d", one.claimed.ID, one.claimed.Attempts)
		seal := c.store.RowSealer("webhook_attempts", id)
		rows = append(rows, []any{
			id, one.claimed.ID.String(), sqlstore.At(one.attempt.At), one.attempt.StatusCode, one.attempt.Duration.Milliseconds(),
			one.attempt.Error, seal("excerpt", one.attempt.Excerpt),
		})
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO webhook_attempts (id, delivery_id, at, status_code, duration_ms, error, excerpt)
		SELECT id, delivery_id, at, status_code, duration_ms, error, excerpt
		FROM {rows id text, delivery_id text, at time, status_code bigint, duration_ms bigint, error text, excerpt text}`, rows)
	return err
}

// noteHealth stores the streaks of failures of endpoints, and returns those of failing ones. For endpoints
// that did not fail before it writes nothing.
func noteHealth(ctx context.Context, tx *sqlstore.Tx, all []finishedAttempt) (map[webhook.ID]webhook.Health, error) {
	failed, well := map[string]int{}, map[string]bool{}
	var at time.Time
	for _, one := range all {
		switch id := one.claimed.WebhookID.String(); {
		case one.attempt.Succeeded():
			well[id] = true
		case !one.attempt.At.IsZero():
			failed[id]++
			at = one.attempt.At
		}
	}
	var recovered, failing sqlstore.Rows
	for id := range well {
		recovered = append(recovered, []any{id})
	}
	for id, n := range failed {
		if !well[id] {
			failing = append(failing, []any{id, n})
		}
	}
	health := map[webhook.ID]webhook.Health{}
	if len(recovered) > 0 {
		_, err := tx.Exec(ctx, `UPDATE webhook_endpoints SET streak = 0, failing_since = NULL, warned_at = NULL
			WHERE id {any id text} AND streak > 0`, recovered)
		if err != nil {
			return nil, err
		}
	}
	if len(failing) == 0 {
		return health, nil
	}
	var found []struct {
		ID           webhook.ID       `db:"id"`
		Streak       int              `db:"streak"`
		FailingSince sqlstore.Instant `db:"failing_since"`
	}
	err := tx.List(ctx, &found, `UPDATE webhook_endpoints SET streak = webhook_endpoints.streak + r.n, failing_since = COALESCE(webhook_endpoints.failing_since, ?)
		FROM {rows id text, n bigint} WHERE webhook_endpoints.id = r.id RETURNING webhook_endpoints.id, webhook_endpoints.streak, webhook_endpoints.failing_since`,
		sqlstore.At(at), failing)
	for _, one := range found {
		health[one.ID] = webhook.Health{Streak: one.Streak, FailingSince: one.FailingSince.Time}
	}
	return health, err
}
