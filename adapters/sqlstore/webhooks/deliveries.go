package webhooks

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

// Deliveries returns the repository of deliveries.
func Deliveries(tx *sqlstore.Tx) webhooks.Deliveries { return deliveries{tx} }

type deliveries struct{ tx *sqlstore.Tx }

// oneDelivery reads a delivery of the instance, or of a workspace that is not deleted; locked is "" or a
// locking clause. It fails with webhook.ErrNoDelivery.
func oneDelivery(ctx context.Context, q *sqlstore.Queries, id webhook.DeliveryID, locked string) (webhook.Delivery, error) {
	var found deliveryRow
	err := q.Get(ctx, &found, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE id = ?
		AND (org_id = '' OR org_id IN (SELECT w.id FROM workspaces w WHERE w.deleted_at IS NULL))`+locked, id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Delivery{}, webhook.ErrNoDelivery
	}
	return found.delivery(), sqlstore.Wrap("read a delivery", err)
}

// ByID reads one delivery under a lock of its row. It fails with webhook.ErrNoDelivery.
func (r deliveries) ByID(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error) {
	return oneDelivery(ctx, r.tx.Queries, id, ` {for update}`)
}

// Of reads the deliveries of events to an endpoint under locks of their rows.
func (r deliveries) Of(ctx context.Context, to webhook.ID, events []event.Record) ([]webhook.Delivery, error) {
	if len(events) == 0 {
		return nil, nil
	}
	ids := make([]string, len(events))
	for i, one := range events {
		ids[i] = one.ID.String()
	}
	var found []deliveryRow
	err := r.tx.List(ctx, &found, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE endpoint_id = ? AND event_id {any event_id text} ORDER BY id {for update}`,
		to.String(), sqlstore.OneColumn(ids))
	return deliveriesOf(found), sqlstore.Wrap("read deliveries", err)
}

// Make stores a new delivery of each event to an endpoint, unless there is one already.
func (r deliveries) Make(ctx context.Context, to webhook.Snapshot, events []event.Record) error {
	if len(events) == 0 {
		return nil
	}
	now := sqlstore.At(r.tx.Store().Clock().Now())
	made := make(sqlstore.Rows, len(events))
	for i, one := range events {
		made[i] = []any{webhook.NewDeliveryID(r.tx.Store().IDs()).String(), to.ID.String(), to.OrgID.String(), one.ID.String(), string(one.Kind), now}
	}
	_, err := r.tx.Exec(ctx, insertDeliveries, made)
	return sqlstore.Wrap("make deliveries", err)
}

// Save stores deliveries that were read under a lock.
func (r deliveries) Save(ctx context.Context, changed ...webhook.Delivery) error {
	if len(changed) == 0 {
		return nil
	}
	_, err := r.tx.Exec(ctx, changeDeliveries, changedRows(changed))
	return sqlstore.Wrap("save deliveries", err)
}

// Discard removes a batch of dead deliveries with their attempts, and returns how many.
func (r deliveries) Discard(ctx context.Context, which webhooks.DeadQuery) (int, error) {
	where := &sqlstore.Filter{}
	where.Where("org_id = ? AND status = 'dead'", which.Org.String())
	if which.IDs != nil {
		where.Where("id {any id text}", sqlstore.OneColumn(asTexts(which.IDs)))
	}
	where.Unless(which.Webhook == "", "endpoint_id = ?", which.Webhook.String())
	where.Unless(which.Before.IsZero(), "id < ?", webhook.EarliestDelivery(which.Before).String())
	var gone []string
	err := r.tx.List(ctx, &gone, sqlstore.BatchOf("id", "webhook_deliveries"+where.String()+" ORDER BY id")+
		`DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM batch) RETURNING id`, append(where.Args, which.Most)...)
	if err != nil {
		return 0, sqlstore.Wrap("discard deliveries", err)
	}
	_, err = r.tx.Exec(ctx, `DELETE FROM webhook_attempts WHERE delivery_id {any delivery_id text}`, sqlstore.OneColumn(gone))
	return len(gone), sqlstore.Wrap("discard attempts", err)
}

func asTexts(ids []webhook.DeliveryID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = id.String()
	}
	return all
}
