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

// Claims returns the queue of what is to be sent.
func Claims(store *sqlstore.Store) webhooks.Claims {
	c := &claims{store: store}
	c.finished = &batch.Group[finished, webhook.Health]{Run: c.finish}
	return c
}

type claims struct {
	store    *sqlstore.Store
	finished *batch.Group[finished, webhook.Health]
}

// Wanted looks at the subscriptions, which enabled endpoints alone have, and at what others
// left behind.
func (c *claims) Wanted(ctx context.Context) (bool, error) {
	wanted, err := anyWanted(ctx, c.store.Reader(ctx))
	if err != nil || wanted {
		return wanted, wrap("look for webhooks", err)
	}
	var left []int
	err = c.store.Reader(ctx).List(ctx, &left, `SELECT 1 FROM webhook_deliveries WHERE due_at IS NOT NULL LIMIT 1`)
	return len(left) > 0, wrap("look for deliveries", err)
}

// endpointsAtOnce is how many endpoints have their turn in one claim.
const endpointsAtOnce = 50

// busyEndpoints are those that have a delivery which is due: it goes from one to the next by the
// index, and past the deliveries of each.
const busyEndpoints = `
WITH RECURSIVE busy (endpoint_id) AS (
	SELECT MIN(endpoint_id) FROM webhook_deliveries WHERE due_at IS NOT NULL AND endpoint_id > ?
	UNION ALL
	SELECT (SELECT MIN(d.endpoint_id) FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.endpoint_id > busy.endpoint_id)
	FROM busy WHERE busy.endpoint_id IS NOT NULL
)
SELECT endpoint_id FROM busy WHERE endpoint_id IS NOT NULL
	AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = busy.endpoint_id AND d.due_at <= ?)
LIMIT ?`

// busy returns endpoints with something due: first those behind the one that had its turn last.
func (c *claims) busy(ctx context.Context, o webhooks.ClaimOrder) ([]string, error) {
	var found []string
	for _, after := range []string{o.After.String(), ""} {
		var more []string
		if err := c.store.Reader(ctx).List(ctx, &more, busyEndpoints, after, sqlstore.At(o.Now), endpointsAtOnce); err != nil {
			return nil, wrap("look for what is due", err)
		}
		for _, id := range more {
			if !slices.Contains(found, id) && len(found) < endpointsAtOnce {
				found = append(found, id)
			}
		}
		if after == "" {
			break
		}
	}
	return found, nil
}

// Claim takes the same share for each endpoint that has something due, and what is left over
// for those that have more.
func (c *claims) Claim(ctx context.Context, o webhooks.ClaimOrder) ([]webhooks.Claimed, error) {
	busy, err := c.busy(ctx, o)
	if err != nil || len(busy) == 0 {
		return nil, err
	}
	var taken []deliveryRow
	err = unit(c.store).Do(ctx, func(tx *sqlstore.Tx) error {
		taken = nil
		for i, id := range busy {
			left := o.Most - len(taken)
			if left == 0 {
				return nil
			}
			share := max(1, left/(len(busy)-i))
			some, err := take(ctx, tx, id, share, o)
			if err != nil {
				return err
			}
			taken = append(taken, some...)
		}
		return nil
	})
	if err != nil || len(taken) == 0 {
		return nil, wrap("claim deliveries", err)
	}
	return c.complete(ctx, taken)
}

// pace is how fast an endpoint may be sent to.
type pace struct {
	Enabled     bool  `db:"enabled"`
	RateLimit   int   `db:"rate_limit"`
	PacedSecond int64 `db:"paced_second"`
	Paced       int   `db:"paced"`
}

// buriedAtOnce is how many deliveries of an endpoint that is gone or switched off end at once.
const buriedAtOnce = 1000

// take claims deliveries of one endpoint under its lock, unless another replica is at it.
func take(ctx context.Context, tx *sqlstore.Tx, id string, share int, o webhooks.ClaimOrder) ([]deliveryRow, error) {
	var known []pace
	err := tx.List(ctx, &known, `SELECT enabled, rate_limit, paced_second, paced FROM webhook_endpoints WHERE id = ? {skip locked}`, id)
	if err != nil {
		return nil, err
	}
	if len(known) == 0 {
		var there []int
		if err := tx.List(ctx, &there, `SELECT 1 FROM webhook_endpoints WHERE id = ?`, id); err != nil || len(there) > 0 {
			return nil, err
		}
		return nil, bury(ctx, tx, id, "the webhook was deleted", o.Now)
	}
	p := known[0]
	if !p.Enabled {
		return nil, bury(ctx, tx, id, "the webhook was switched off", o.Now)
	}
	var inFlight int
	err = tx.Get(ctx, &inFlight, `SELECT COUNT(*) FROM webhook_deliveries WHERE endpoint_id = ? AND status = 'delivering' AND due_at > ?`, id, sqlstore.At(o.Now))
	if err != nil {
		return nil, err
	}
	most := min(share, o.InFlight-inFlight)
	second := o.Now.Unix()
	if p.PacedSecond != second {
		p.Paced = 0
	}
	if p.RateLimit > 0 {
		most = min(most, p.RateLimit-p.Paced)
	}
	if most <= 0 {
		return nil, nil
	}
	var taken []deliveryRow
	err = tx.List(ctx, &taken, `UPDATE webhook_deliveries SET status = 'delivering', turn = turn + 1, due_at = ? WHERE id IN (
		SELECT id FROM webhook_deliveries WHERE endpoint_id = ? AND due_at <= ? ORDER BY due_at LIMIT ? {skip locked}) RETURNING `+deliveryColumns,
		sqlstore.At(o.Now.Add(webhook.Lease)), id, sqlstore.At(o.Now), most)
	if err != nil || p.RateLimit == 0 {
		return taken, err
	}
	_, err = tx.Exec(ctx, `UPDATE webhook_endpoints SET paced_second = ?, paced = ? WHERE id = ?`, second, p.Paced+len(taken), id)
	return taken, err
}

// bury ends deliveries that go nowhere.
func bury(ctx context.Context, tx *sqlstore.Tx, id, why string, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_deliveries SET status = 'dead', due_at = NULL, error = ?, finished_at = ? WHERE id IN (
		SELECT id FROM webhook_deliveries WHERE endpoint_id = ? AND due_at IS NOT NULL LIMIT ? {skip locked})`,
		why, sqlstore.At(now), id, buriedAtOnce)
	return err
}

// complete reads what is to be sent, and where.
func (c *claims) complete(ctx context.Context, taken []deliveryRow) ([]webhooks.Claimed, error) {
	var of []string
	var told []event.ID
	for _, one := range taken {
		of, told = append(of, one.EndpointID.String()), append(told, one.EventID)
	}
	slices.Sort(of)
	slices.Sort(told)
	var rows []endpointRow
	err := c.store.Reader(ctx).List(ctx, &rows, `SELECT `+endpointColumns+` FROM webhook_endpoints WHERE id {any id text}`, sqlstore.OneColumn(slices.Compact(of)))
	if err != nil {
		return nil, wrap("read webhooks", err)
	}
	found, err := snapshots(c.store, rows)
	if err != nil {
		return nil, err
	}
	records, err := c.store.EventsOf(ctx, slices.Compact(told))
	if err != nil {
		return nil, err
	}
	endpoint, record := map[webhook.ID]webhook.Snapshot{}, map[event.ID]event.Record{}
	for _, one := range found {
		endpoint[one.ID] = one
	}
	for _, one := range records {
		record[one.ID] = one
	}
	claimed := make([]webhooks.Claimed, len(taken))
	for i, one := range taken {
		claimed[i] = webhooks.Claimed{Delivery: one.delivery(), Turn: one.Turn, Endpoint: endpoint[one.EndpointID], Event: record[one.EventID]}
	}
	return claimed, nil
}

// finished is an attempt with what became of its delivery.
type finished struct {
	claimed webhooks.Claimed
	attempt webhook.Attempt
}

// Finish stores attempts that end together in one transaction.
func (c *claims) Finish(ctx context.Context, one webhooks.Claimed, a webhook.Attempt) (webhook.Health, error) {
	return c.finished.Do(ctx, finished{one, a})
}

// turn tells who has a delivery from who had it before and may end beside them.
type turn struct {
	ID   webhook.DeliveryID `db:"id"`
	Turn int                `db:"turn"`
}

const finishDeliveries = `
UPDATE webhook_deliveries SET status = r.status, attempts = r.attempts, round = r.round, due_at = r.due_at,
	status_code = r.status_code, error = r.error, finished_at = r.finished_at, duration_ms = r.duration_ms
FROM {rows id text, turn bigint, status text, attempts bigint, round bigint, due_at time, status_code bigint, error text, finished_at time, duration_ms bigint}
WHERE webhook_deliveries.id = r.id AND webhook_deliveries.turn = r.turn AND webhook_deliveries.status = 'delivering'
RETURNING webhook_deliveries.id, webhook_deliveries.turn`

func (c *claims) finish(ctx context.Context, all []finished) ([]batch.Outcome[webhook.Health], error) {
	outcomes := make([]batch.Outcome[webhook.Health], len(all))
	err := unit(c.store).Do(ctx, func(tx *sqlstore.Tx) error {
		ended := make(sqlstore.Rows, len(all))
		for i, one := range all {
			d := one.claimed.Delivery
			ended[i] = []any{
				d.ID.String(), one.claimed.Turn, string(d.Status), d.Attempts, d.Round, sqlstore.At(d.DueAt),
				d.StatusCode, d.Error, sqlstore.At(d.FinishedAt), one.attempt.Duration.Milliseconds(),
			}
		}
		var stored []turn
		if err := tx.List(ctx, &stored, finishDeliveries, ended); err != nil {
			return err
		}
		ours := slices.DeleteFunc(slices.Clone(all), func(one finished) bool {
			return !slices.Contains(stored, turn{one.claimed.ID, one.claimed.Turn})
		})
		if err := c.addAttempts(ctx, tx, ours); err != nil {
			return err
		}
		health, err := noteHealth(ctx, tx, ours)
		for i, one := range all {
			outcomes[i].Answer = health[one.claimed.WebhookID]
		}
		return err
	})
	return outcomes, wrap("finish deliveries", err)
}

func (c *claims) addAttempts(ctx context.Context, tx *sqlstore.Tx, all []finished) error {
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

// noteHealth keeps how deliveries to endpoints go; of those that go well nothing is written.
func noteHealth(ctx context.Context, tx *sqlstore.Tx, all []finished) (map[webhook.ID]webhook.Health, error) {
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
