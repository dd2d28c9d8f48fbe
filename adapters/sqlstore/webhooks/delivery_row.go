package webhooks

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

const deliveryColumns = `id, endpoint_id, org_id, event_id, kind, status, attempts, round, turn, due_at, status_code, error, created_at, finished_at`

type deliveryRow struct {
	ID         webhook.DeliveryID `db:"id"`
	EndpointID webhook.ID         `db:"endpoint_id"`
	OrgID      workspace.ID       `db:"org_id"`
	EventID    event.ID           `db:"event_id"`
	Kind       event.Kind         `db:"kind"`
	Status     webhook.Status     `db:"status"`
	Attempts   int                `db:"attempts"`
	Round      int                `db:"round"`
	Turn       int                `db:"turn"`
	DueAt      sqlstore.Instant   `db:"due_at"`
	StatusCode int                `db:"status_code"`
	Error      string             `db:"error"`
	CreatedAt  sqlstore.Instant   `db:"created_at"`
	FinishedAt sqlstore.Instant   `db:"finished_at"`
}

func (r *deliveryRow) delivery() webhook.Delivery {
	return webhook.Delivery{
		ID: r.ID, WebhookID: r.EndpointID, OrgID: r.OrgID, EventID: r.EventID, Kind: r.Kind, Status: r.Status,
		Attempts: r.Attempts, Round: r.Round, DueAt: r.DueAt.Time, StatusCode: r.StatusCode, Error: r.Error,
		CreatedAt: r.CreatedAt.Time, FinishedAt: r.FinishedAt.Time,
	}
}

func deliveriesOf(found []deliveryRow) []webhook.Delivery {
	all := make([]webhook.Delivery, len(found))
	for i := range found {
		all[i] = found[i].delivery()
	}
	return all
}

const insertDeliveries = `
INSERT INTO webhook_deliveries (id, endpoint_id, org_id, event_id, kind, status, attempts, round, due_at, status_code, error, duration_ms, created_at)
SELECT id, endpoint_id, org_id, event_id, kind, 'pending', 0, 0, due_at, 0, '', 0, due_at
FROM {rows id text, endpoint_id text, org_id text, event_id text, kind text, due_at time}
WHERE true ON CONFLICT (event_id, endpoint_id) DO NOTHING`

// changedRows returns the rows of changeDeliveries.
func changedRows(changed []webhook.Delivery) sqlstore.Rows {
	all := make(sqlstore.Rows, len(changed))
	for i, d := range changed {
		all[i] = []any{
			d.ID.String(), string(d.Status), d.Attempts, d.Round, sqlstore.At(d.DueAt), d.StatusCode, d.Error, sqlstore.At(d.FinishedAt),
		}
	}
	return all
}

const changeDeliveries = `
UPDATE webhook_deliveries SET status = r.status, attempts = r.attempts, round = r.round, due_at = r.due_at,
	status_code = r.status_code, error = r.error, finished_at = r.finished_at
FROM {rows id text, status text, attempts bigint, round bigint, due_at time, status_code bigint, error text, finished_at time}
WHERE webhook_deliveries.id = r.id`
