package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

// DeliveryDirectory returns the directory of deliveries.
func DeliveryDirectory(store *sqlstore.Store) webhooks.DeliveryDirectory {
	return deliveryDirectory{store}
}

type deliveryDirectory struct{ store *sqlstore.Store }

// Find reads one delivery. It fails with webhook.ErrNoDelivery.
func (d deliveryDirectory) Find(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error) {
	return oneDelivery(ctx, d.store.Reader(ctx), id, "")
}

func matching(query webhooks.DeliveryQuery) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	f.Unless(query.Event == "", "event_id = ?", query.Event.String())
	f.Unless(query.Event != "", "org_id = ?", query.Org.String())
	f.Unless(query.Webhook == "", "endpoint_id = ?", query.Webhook.String())
	f.Unless(query.Status == "", "status = ?", string(query.Status))
	f.Unless(query.Kind == "", "kind = ?", string(query.Kind))
	f.Unless(query.From.IsZero(), "id >= ?", webhook.EarliestDelivery(query.From).String())
	f.Unless(query.To.IsZero(), "id < ?", webhook.EarliestDelivery(query.To).String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return f
}

// List reads deliveries, newest first.
func (d deliveryDirectory) List(ctx context.Context, query webhooks.DeliveryQuery) ([]webhook.Delivery, error) {
	all := matching(query)
	var found []deliveryRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+deliveryColumns+" FROM webhook_deliveries"+all.String()+sqlstore.Newest(query.Limit), all.Args...)
	return deliveriesOf(found), sqlstore.Wrap("list deliveries", err)
}

// Attempts reads the attempts of a delivery, oldest first.
func (d deliveryDirectory) Attempts(ctx context.Context, id webhook.DeliveryID) ([]webhook.Attempt, error) {
	var found []struct {
		ID         string           `db:"id"`
		At         sqlstore.Instant `db:"at"`
		StatusCode int              `db:"status_code"`
		DurationMS int64            `db:"duration_ms"`
		Error      string           `db:"error"`
		Excerpt    string           `db:"excerpt"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT id, at, status_code, duration_ms, error, excerpt FROM webhook_attempts WHERE delivery_id = ? ORDER BY id`, id.String())
	if err != nil {
		return nil, sqlstore.Wrap("list attempts", err)
	}
	attempts := make([]webhook.Attempt, len(found))
	for i, one := range found {
		open := d.store.RowOpener("webhook_attempts", one.ID)
		attempts[i] = webhook.Attempt{
			At: one.At.Time, StatusCode: one.StatusCode, Duration: time.Duration(one.DurationMS) * time.Millisecond,
			Error: one.Error, Excerpt: open.Value("excerpt", one.Excerpt),
		}
		if open.Err != nil {
			return nil, sqlstore.Wrap("open an attempt", open.Err)
		}
	}
	return attempts, nil
}

// sampled is how many of the latest successful deliveries the percentiles of the duration are computed
// from.
const sampled = 10_000

// Stats counts deliveries by status, and returns percentiles of the duration of the successful ones.
func (d deliveryDirectory) Stats(ctx context.Context, query webhooks.DeliveryQuery) (webhooks.Stats, error) {
	all := matching(query)
	stats := webhooks.Stats{ByStatus: map[webhook.Status]int{}}
	var counted []struct {
		Status webhook.Status `db:"status"`
		Count  int            `db:"n"`
	}
	q := d.store.Reader(ctx)
	if err := q.Search(ctx, &counted, "SELECT status, COUNT(*) AS n FROM webhook_deliveries"+all.String()+" GROUP BY status", all.Args...); err != nil {
		return stats, sqlstore.Wrap("count deliveries", err)
	}
	for _, one := range counted {
		stats.ByStatus[one.Status] = one.Count
	}
	all.Where("status = 'succeeded'")
	var took []int64
	err := q.Search(ctx, &took, "SELECT duration_ms FROM (SELECT id, duration_ms FROM webhook_deliveries"+all.String()+
		" ORDER BY id DESC LIMIT ?) AS latest ORDER BY duration_ms", append(all.Args, sampled)...)
	if n := len(took); n > 0 {
		const half, most = 50, 95
		stats.P50 = time.Duration(took[(n-1)*half/100]) * time.Millisecond
		stats.P95 = time.Duration(took[(n-1)*most/100]) * time.Millisecond
	}
	return stats, sqlstore.Wrap("measure deliveries", err)
}
