package webhooks

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

// Claims returns the queue of deliveries to send.
func Claims(store *sqlstore.Store) webhooks.Claims {
	c := &claims{store: store}
	c.finished = &batch.Group[finishedAttempt, webhook.Health]{Run: c.finish}
	return c
}

type claims struct {
	store    *sqlstore.Store
	finished *batch.Group[finishedAttempt, webhook.Health]
}

// Wanted reports whether an enabled endpoint has subscriptions, or any delivery is due. Only enabled
// endpoints have subscriptions.
func (c *claims) Wanted(ctx context.Context) (bool, error) {
	wanted, err := anyWanted(ctx, c.store.Reader(ctx))
	if err != nil || wanted {
		return wanted, sqlstore.Wrap("look for webhooks", err)
	}
	var left []int
	err = c.store.Reader(ctx).List(ctx, &left, `SELECT 1 FROM webhook_deliveries WHERE due_at IS NOT NULL ORDER BY endpoint_id, due_at LIMIT 1`)
	return len(left) > 0, sqlstore.Wrap("look for deliveries", err)
}

// endpointsAtOnce is how many endpoints one claim looks at.
const endpointsAtOnce = 50

// busyEndpoints lists endpoints with a delivery that is due, after one of them. It is a loose index
// scan: each step looks up the next endpoint, and skips the deliveries of the one before. The order of
// each look-up is that of the index on due deliveries, so that the planner chooses no other. It excludes
// endpoints that have reached their rate limit in this second, and failing endpoints if no more may be
// sent to those. Endpoints that are disabled or deleted are listed while a delivery waits for them.
const busyEndpoints = `
WITH RECURSIVE busy (endpoint_id) AS (
	SELECT first.endpoint_id FROM (SELECT endpoint_id FROM webhook_deliveries
		WHERE due_at IS NOT NULL AND endpoint_id > ? ORDER BY endpoint_id, due_at LIMIT 1) AS first
	UNION ALL
	SELECT (SELECT d.endpoint_id FROM webhook_deliveries d
		WHERE d.due_at IS NOT NULL AND d.endpoint_id > busy.endpoint_id ORDER BY d.endpoint_id, d.due_at LIMIT 1)
	FROM busy WHERE busy.endpoint_id IS NOT NULL
)
SELECT endpoint_id FROM busy WHERE endpoint_id IS NOT NULL AND CASE
	(SELECT CASE WHEN NOT e.enabled THEN 'off' WHEN e.streak > 0 AND ? = 0 OR e.rate_limit > 0 AND e.paced_second = ? AND e.paced >= e.rate_limit THEN 'held'
		ELSE 'on' END FROM webhook_endpoints e WHERE e.id = busy.endpoint_id)
	WHEN 'on' THEN (SELECT d.due_at FROM webhook_deliveries d WHERE d.endpoint_id = busy.endpoint_id AND d.due_at <= ? ORDER BY d.due_at LIMIT 1) IS NOT NULL
	WHEN 'held' THEN FALSE
	ELSE (SELECT d.due_at FROM webhook_deliveries d WHERE d.endpoint_id = busy.endpoint_id AND ` + unsent + ` ORDER BY d.due_at LIMIT 1) IS NOT NULL
END LIMIT ?`

// unsent is the condition that a delivery waits, and no replica is sending it.
const unsent = `d.due_at IS NOT NULL AND (d.status <> 'delivering' OR d.due_at <= ?)`

// busy returns endpoints with a delivery that is due, beginning after the one that was claimed from last.
func (c *claims) busy(ctx context.Context, o webhooks.ClaimOrder) ([]string, error) {
	var found []string
	now := sqlstore.At(o.Now)
	for _, after := range []string{o.After.String(), ""} {
		var more []string
		if err := c.store.Reader(ctx).List(ctx, &more, busyEndpoints, after, o.Failing, o.Now.Unix(), now, now, endpointsAtOnce); err != nil {
			return nil, sqlstore.Wrap("look for what is due", err)
		}
		for _, id := range more {
			if !slices.Contains(found, id) && len(found) < endpointsAtOnce {
				found = append(found, id)
			}
		}
		if after == "" || len(found) == endpointsAtOnce {
			break
		}
	}
	return found, nil
}

// Claim claims deliveries, round-robin over the endpoints, until it finds any or has looked at all
// endpoints.
func (c *claims) Claim(ctx context.Context, o webhooks.ClaimOrder) ([]webhooks.ClaimedDelivery, error) {
	first := ""
	for {
		busy, err := c.busy(ctx, o)
		if err != nil || len(busy) == 0 {
			return nil, err
		}
		claimed, err := c.claim(ctx, busy, o)
		if err != nil || len(claimed) > 0 || len(busy) < endpointsAtOnce || slices.Contains(busy, first) {
			return claimed, err
		}
		first, o.After = cmp.Or(first, busy[0]), webhook.ID(busy[len(busy)-1])
	}
}

// claim claims deliveries of endpoints: the same share for each, and the rest for those that have more.
func (c *claims) claim(ctx context.Context, busy []string, o webhooks.ClaimOrder) (_ []webhooks.ClaimedDelivery, err error) {
	var taken []deliveryRow
	var from []*lockedEndpoint
	err = c.store.Do(ctx, func(tx *sqlstore.Tx) (err error) {
		taken = nil
		if from, err = hold(ctx, tx, busy, o.Now); err != nil {
			return err
		}
		order := o
		for i, e := range from {
			left := o.Most - len(taken)
			if left == 0 {
				break
			}
			some, err := take(ctx, tx, e, max(1, left/(len(from)-i)), order)
			if err != nil {
				return err
			}
			if e.Streak > 0 {
				order.Failing -= len(some)
			}
			taken = append(taken, some...)
		}
		return lease(ctx, tx, taken, o.Now.Add(webhook.Lease))
	})
	if err != nil || len(taken) == 0 {
		return nil, sqlstore.Wrap("claim deliveries", err)
	}
	return c.complete(ctx, taken, from)
}

// lockedEndpoint is an endpoint whose row is locked, with the state of its rate limit: Paced deliveries were
// claimed in the second PacedSecond, a Unix time.
type lockedEndpoint struct {
	endpointRow

	PacedSecond int64 `db:"paced_second"`
	Paced       int   `db:"paced"`
	// InFlight is how many of its deliveries are being sent.
	InFlight int
}

// hold locks endpoints, except those that another replica has locked, and ends the deliveries to those
// that were deleted. It returns the locked ones in the order of ids.
func hold(ctx context.Context, tx *sqlstore.Tx, ids []string, now time.Time) ([]*lockedEndpoint, error) {
	var found []*lockedEndpoint
	err := tx.List(ctx, &found, `SELECT `+endpointColumns+`, paced_second, paced FROM webhook_endpoints WHERE id {any id text} {skip locked}`,
		sqlstore.OneColumn(ids))
	if err != nil {
		return nil, err
	}
	if len(found) < len(ids) {
		if err := endDeleted(ctx, tx, ids, now); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b *lockedEndpoint) int {
		return cmp.Compare(slices.Index(ids, a.ID.String()), slices.Index(ids, b.ID.String()))
	})
	return found, countInFlight(ctx, tx, found, now)
}

// countInFlight counts the deliveries that are being sent to the endpoints. Their rows are locked, so
// that no other replica claims meanwhile. The condition on the time is an expression, so that the
// planner does not choose the index on due deliveries, which also holds the retries.
func countInFlight(ctx context.Context, tx *sqlstore.Tx, endpoints []*lockedEndpoint, now time.Time) error {
	ids := make([]webhook.ID, len(endpoints))
	for i, e := range endpoints {
		ids[i] = e.ID
	}
	var counted []struct {
		ID    webhook.ID `db:"endpoint_id"`
		Count int        `db:"n"`
	}
	err := tx.List(ctx, &counted, `SELECT endpoint_id, COUNT(*) AS n FROM webhook_deliveries
		WHERE endpoint_id {any endpoint_id text} AND status = 'delivering' AND COALESCE(due_at, created_at) > ? GROUP BY endpoint_id`,
		sqlstore.OneColumn(ids), sqlstore.At(now))
	for _, one := range counted {
		endpoints[slices.Index(ids, one.ID)].InFlight = one.Count
	}
	return err
}

// take claims at most share deliveries of an endpoint, or ends them if the endpoint is disabled.
func take(ctx context.Context, tx *sqlstore.Tx, e *lockedEndpoint, share int, o webhooks.ClaimOrder) ([]deliveryRow, error) {
	if !e.Enabled {
		return nil, endDeliveries(ctx, tx, e.ID.String(), webhook.ByDisabled, o.Now)
	}
	most := min(share, o.InFlight-e.InFlight)
	second := o.Now.Unix()
	if e.PacedSecond != second {
		e.Paced = 0
	}
	if e.RateLimit > 0 {
		most = min(most, e.RateLimit-e.Paced)
	}
	if e.Streak > 0 {
		most = min(most, o.Failing, 1-e.InFlight)
	}
	if most <= 0 {
		return nil, nil
	}
	taken, err := due(ctx, tx, e.ID.String(), o.Now, most)
	if err != nil || e.RateLimit == 0 {
		return taken, err
	}
	_, err = tx.Exec(ctx, `UPDATE webhook_endpoints SET paced_second = ?, paced = ? WHERE id = ?`, second, e.Paced+len(taken), e.ID.String())
	return taken, err
}

// due locks deliveries of an endpoint that are due at a time.
func due(ctx context.Context, tx *sqlstore.Tx, id string, by time.Time, most int) (found []deliveryRow, err error) {
	err = tx.List(ctx, &found, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE endpoint_id = ? AND due_at <= ? ORDER BY due_at LIMIT ? {skip locked}`,
		id, sqlstore.At(by), most)
	return found, err
}

// lease stores that deliveries are being sent until a time. It updates them by their identifiers, and
// not by a join with the query that selects them, which the planner may execute in the wrong order.
func lease(ctx context.Context, tx *sqlstore.Tx, taken []deliveryRow, until time.Time) error {
	if len(taken) == 0 {
		return nil
	}
	for i := range taken {
		taken[i].Status, taken[i].DueAt = webhook.Delivering, sqlstore.At(until)
		taken[i].Turn++
	}
	_, err := tx.Exec(ctx, `UPDATE webhook_deliveries SET status = ?, turn = turn + 1, due_at = ? WHERE id {any id text}`,
		string(webhook.Delivering), sqlstore.At(until), identifiers(taken))
	return err
}

func identifiers(of []deliveryRow) sqlstore.Rows {
	ids := make(sqlstore.Rows, len(of))
	for i, one := range of {
		ids[i] = []any{one.ID.String()}
	}
	return ids
}

// endedAtOnce is how many deliveries to a deleted or disabled endpoint end at once.
const endedAtOnce = 1000

// endDeleted ends deliveries to those of the endpoints that were deleted.
func endDeleted(ctx context.Context, tx *sqlstore.Tx, ids []string, now time.Time) error {
	var existing []string
	if err := tx.List(ctx, &existing, `SELECT id FROM webhook_endpoints WHERE id {any id text}`, sqlstore.OneColumn(ids)); err != nil {
		return err
	}
	for _, id := range ids {
		if slices.Contains(existing, id) {
			continue
		}
		if err := endDeliveries(ctx, tx, id, webhook.ByDeleted, now); err != nil {
			return err
		}
	}
	return nil
}

// endedBecause are the errors of deliveries whose endpoint takes no more.
func endedBecause(why string) string {
	if why == webhook.ByDeleted {
		return "the webhook endpoint was deleted"
	}
	return "the webhook endpoint was disabled"
}

// endDeliveries ends the unsent deliveries to an endpoint as dead, for a reason.
func endDeliveries(ctx context.Context, tx *sqlstore.Tx, id, why string, now time.Time) error {
	var lost []deliveryRow
	err := tx.List(ctx, &lost, `SELECT `+deliveryColumns+` FROM webhook_deliveries d WHERE d.endpoint_id = ? AND `+unsent+` ORDER BY d.due_at LIMIT ? {skip locked}`,
		id, sqlstore.At(now), endedAtOnce)
	if err != nil || len(lost) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE webhook_deliveries SET status = 'dead', due_at = NULL, error = ?, finished_at = ? WHERE id {any id text}`,
		endedBecause(why), sqlstore.At(now), identifiers(lost))
	if err != nil {
		return err
	}
	lost = slices.DeleteFunc(lost, func(d deliveryRow) bool { return d.Kind == webhook.KindDead })
	if len(lost) == 0 {
		return nil
	}
	return tx.Events().Record(ctx, webhook.Died{WebhookID: webhook.ID(id), OrgID: lost[0].OrgID, Count: len(lost), Reason: why})
}

// complete adds the endpoint and the event to each claimed delivery.
func (c *claims) complete(ctx context.Context, taken []deliveryRow, from []*lockedEndpoint) ([]webhooks.ClaimedDelivery, error) {
	endpoint := map[webhook.ID]webhook.Snapshot{}
	var events []event.ID
	for _, one := range taken {
		events = append(events, one.EventID)
		if _, known := endpoint[one.EndpointID]; known {
			continue
		}
		at := slices.IndexFunc(from, func(e *lockedEndpoint) bool { return e.ID == one.EndpointID })
		var err error
		if endpoint[one.EndpointID], err = from[at].snapshot(c.store); err != nil {
			return nil, err
		}
	}
	slices.Sort(events)
	records, err := c.store.EventsOf(ctx, slices.Compact(events))
	if err != nil {
		return nil, err
	}
	record := map[event.ID]event.Record{}
	for _, one := range records {
		record[one.ID] = one
	}
	claimed := make([]webhooks.ClaimedDelivery, len(taken))
	for i, one := range taken {
		claimed[i] = webhooks.ClaimedDelivery{Delivery: one.delivery(), Turn: one.Turn, Endpoint: endpoint[one.EndpointID], Event: record[one.EventID]}
	}
	return claimed, nil
}
