package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// eventLife is how long events of processors are kept.
const eventLife = 90 * 24 * time.Hour

// Intents returns the repository of calls that are to be made to processors.
func Intents(tx *sqlstore.Tx) commerce.Intents { return intents{tx} }

type intents struct{ tx *sqlstore.Tx }

const intentColumns = `id, kind, checkout_id, subject, processor, mode, at_period_end, plan, attempts, created_at`

type intentRow struct {
	ID          billing.IntentID   `db:"id"`
	Kind        billing.IntentKind `db:"kind"`
	CheckoutID  billing.CheckoutID `db:"checkout_id"`
	Subject     string             `db:"subject"`
	Processor   product.Processor  `db:"processor"`
	Mode        billing.Mode       `db:"mode"`
	AtPeriodEnd bool               `db:"at_period_end"`
	Plan        string             `db:"plan"`
	Attempts    int                `db:"attempts"`
	CreatedAt   sqlstore.Instant   `db:"created_at"`
}

func (r *intentRow) intent() (billing.Intent, error) {
	i := billing.Intent{
		ID: r.ID, Kind: r.Kind, CheckoutID: r.CheckoutID, Subject: r.Subject, Account: billing.Account{Processor: r.Processor, Mode: r.Mode},
		AtPeriodEnd: r.AtPeriodEnd, Attempts: r.Attempts, CreatedAt: r.CreatedAt.Time,
	}
	if r.Plan == "" {
		return i, nil
	}
	return i, sqlstore.Wrap("decode a call to a processor", json.Unmarshal([]byte(r.Plan), &i.Plan))
}

// Put queues a call, which is not made before a time.
func (r intents) Put(ctx context.Context, i billing.Intent, notBefore time.Time) error {
	plan, err := json.Marshal(i.Plan)
	if err != nil {
		return fmt.Errorf("encode a call to a processor: %w", err)
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO payment_intents (id, kind, checkout_id, subject, processor, mode, at_period_end, plan, attempts, due_at, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`, i.ID.String(), string(i.Kind), i.CheckoutID.String(), i.Subject,
		string(i.Account.Processor), string(i.Account.Mode), i.AtPeriodEnd, string(plan), sqlstore.At(notBefore), sqlstore.At(i.CreatedAt))
	if err != nil {
		return fmt.Errorf("store a call to a processor: %w", err)
	}
	return nil
}

// Done removes a call, and reports whether it was queued.
func (r intents) Done(ctx context.Context, id billing.IntentID) (bool, error) {
	n, err := r.tx.Exec(ctx, `DELETE FROM payment_intents WHERE id = ?`, id.String())
	if err != nil {
		return false, fmt.Errorf("remove a call to a processor: %w", err)
	}
	return n > 0, nil
}

// OfCheckout reads the first call of a kind for a checkout, and reports whether there is one.
func (r intents) OfCheckout(ctx context.Context, id billing.CheckoutID, kind billing.IntentKind) (billing.Intent, bool, error) {
	var found []intentRow
	err := r.tx.List(ctx, &found, `SELECT `+intentColumns+` FROM payment_intents WHERE checkout_id = ? AND kind = ? ORDER BY id LIMIT 1`, id.String(), string(kind))
	if err != nil || len(found) == 0 {
		return billing.Intent{}, false, sqlstore.Wrap("read a call to a processor", err)
	}
	i, err := found[0].intent()
	return i, true, err
}

// ProcessorEvents returns the repository of events that processors sent.
func ProcessorEvents(tx *sqlstore.Tx) commerce.ProcessorEvents { return processorEvents{tx} }

type processorEvents struct{ tx *sqlstore.Tx }

const processorEventColumns = `id, processor, mode, event_id, kind, org_id, facts, status, reason, attempts, received_at, applied_at`

type processorEventRow struct {
	ID         billing.EventID              `db:"id"`
	Processor  product.Processor            `db:"processor"`
	Mode       billing.Mode                 `db:"mode"`
	EventID    string                       `db:"event_id"`
	Kind       string                       `db:"kind"`
	OrgID      workspace.ID                 `db:"org_id"`
	Facts      string                       `db:"facts"`
	Status     billing.ProcessorEventStatus `db:"status"`
	Reason     string                       `db:"reason"`
	Attempts   int                          `db:"attempts"`
	ReceivedAt sqlstore.Instant             `db:"received_at"`
	AppliedAt  sqlstore.Instant             `db:"applied_at"`
}

func (r *processorEventRow) event(store *sqlstore.Store) (billing.ProcessorEvent, error) {
	open := store.RowOpener("processor_events", r.ID.String())
	t := billing.ProcessorEvent{
		ID: r.ID, Account: billing.Account{Processor: r.Processor, Mode: r.Mode}, EventID: r.EventID, Type: r.Kind, OrgID: r.OrgID,
		Status: r.Status, Reason: r.Reason, Attempts: r.Attempts, ReceivedAt: r.ReceivedAt.Time, AppliedAt: r.AppliedAt.Time,
	}
	var err error
	t.Facts, err = sqlstore.DecodeList[billing.Fact](open.Value("facts", r.Facts))
	return t, sqlstore.Wrap("decode an event of a processor", errors.Join(err, open.Err))
}

// ByID reads one event under a lock of its row. It fails with billing.ErrNoEvent.
func (r processorEvents) ByID(ctx context.Context, id billing.EventID) (billing.ProcessorEvent, error) {
	row, err := one[processorEventRow](ctx, r.tx.Queries, billing.ErrNoEvent, `SELECT `+processorEventColumns+` FROM processor_events WHERE id = ? {for update}`, id.String())
	if err != nil {
		return billing.ProcessorEvent{}, err
	}
	return row.event(r.tx.Store())
}

// Save stores the outcome of an event, and when it is to be processed again; zero for never.
func (r processorEvents) Save(ctx context.Context, t billing.ProcessorEvent, again time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE processor_events SET org_id = ?, status = ?, reason = ?, attempts = ?, due_at = ?, applied_at = ? WHERE id = ?`,
		t.OrgID.String(), string(t.Status), t.Reason, t.Attempts, sqlstore.At(again), sqlstore.At(t.AppliedAt), t.ID.String())
	return sqlstore.Wrap("store the outcome of an event", err)
}

// Queues returns the queues of events of processors and of calls to them.
func Queues(store *sqlstore.Store) commerce.Queues { return queues{store} }

type queues struct{ store *sqlstore.Store }

// Keep stores an event, and reports whether it is new.
func (q queues) Keep(ctx context.Context, t billing.ProcessorEvent, now time.Time) (news bool, err error) {
	facts, err := json.Marshal(t.Facts)
	if err != nil {
		return false, fmt.Errorf("encode an event of a processor: %w", err)
	}
	sealed := q.store.RowSealer("processor_events", t.ID.String())("facts", string(facts))
	err = q.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		n, err := tx.Exec(ctx, `INSERT INTO processor_events (id, processor, mode, event_id, kind, org_id, facts, status, reason, attempts, due_at,
			received_at, purge_at) VALUES (?, ?, ?, ?, ?, '', ?, ?, '', 0, ?, ?, ?) ON CONFLICT DO NOTHING`,
			t.ID.String(), string(t.Account.Processor), string(t.Account.Mode), t.EventID, t.Type, sealed, string(billing.EventPending),
			sqlstore.At(now), sqlstore.At(now), sqlstore.At(now.Add(eventLife)))
		news = n > 0
		return err
	})
	return news, sqlstore.Wrap("store an event of a processor", err)
}

// ClaimEvents claims events that are due, for billing.Lease.
func (q queues) ClaimEvents(ctx context.Context, most int, now time.Time) (claimed []billing.EventID, err error) {
	err = q.claim(ctx, &claimed, queue{"processor_events", "id"}, most, now)
	return claimed, err
}

// ClaimIntents claims calls that are due, for billing.Lease.
func (q queues) ClaimIntents(ctx context.Context, most int, now time.Time) ([]billing.Intent, error) {
	var claimed []intentRow
	if err := q.claim(ctx, &claimed, queue{"payment_intents", intentColumns}, most, now); err != nil {
		return nil, err
	}
	return sqlstore.Map(claimed, (*intentRow).intent)
}

// queue is a table of queued rows, and the columns that a claim returns.
type queue struct{ table, columns string }

// claim claims rows that are due: no other replica does before billing.Lease has passed.
func (q queues) claim(ctx context.Context, into any, of queue, most int, now time.Time) error {
	err := q.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		return tx.List(ctx, into, sqlstore.BatchOf("id", of.table+" WHERE due_at <= ? ORDER BY due_at")+
			"UPDATE "+of.table+" SET due_at = ?, attempts = attempts + 1 WHERE id IN (SELECT id FROM batch) RETURNING "+of.columns,
			sqlstore.At(now), most, sqlstore.At(now.Add(billing.Lease)))
	})
	return sqlstore.Wrap("claim events and calls of processors", err)
}

// Later postpones a call.
func (q queues) Later(ctx context.Context, id billing.IntentID, at time.Time) error {
	return sqlstore.Wrap("postpone a call to a processor", q.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE payment_intents SET due_at = ? WHERE id = ?`, sqlstore.At(at), id.String())
		return err
	}))
}

// ProcessorEventDirectory returns the directory of events that processors sent.
func ProcessorEventDirectory(store *sqlstore.Store) commerce.ProcessorEventDirectory {
	return processorEventDirectory{store}
}

type processorEventDirectory struct{ store *sqlstore.Store }

// Find reads one event. It fails with billing.ErrNoEvent.
func (d processorEventDirectory) Find(ctx context.Context, id billing.EventID) (billing.ProcessorEvent, error) {
	row, err := one[processorEventRow](ctx, d.store.Reader(ctx), billing.ErrNoEvent, `SELECT `+processorEventColumns+` FROM processor_events WHERE id = ?`, id.String())
	if err != nil {
		return billing.ProcessorEvent{}, err
	}
	return row.event(d.store)
}

// List returns events, newest first.
func (d processorEventDirectory) List(ctx context.Context, q commerce.ProcessorEventQuery) ([]billing.ProcessorEvent, error) {
	f := &sqlstore.Filter{}
	f.Unless(q.All, "org_id = ?", q.Org.String())
	f.Unless(q.Processor == "", "processor = ?", string(q.Processor))
	state(f, string(q.Status))
	f.Unless(q.Type == "", "kind = ?", q.Type)
	f.Unless(q.Before == "", "id < ?", q.Before.String())
	var found []processorEventRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+processorEventColumns+` FROM processor_events`+f.String()+sqlstore.Newest(q.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list events of processors: %w", err)
	}
	return sqlstore.Map(found, func(r *processorEventRow) (billing.ProcessorEvent, error) { return r.event(d.store) })
}

// Last returns when the latest event of a processor was received; zero for never.
func (d processorEventDirectory) Last(ctx context.Context, at billing.Account) (time.Time, error) {
	var found []sqlstore.Instant
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT received_at FROM processor_events WHERE processor = ? AND mode = ? ORDER BY id DESC LIMIT 1`,
		string(at.Processor), string(at.Mode))
	if err != nil || len(found) == 0 {
		return time.Time{}, sqlstore.Wrap("read when a processor sent an event", err)
	}
	return found[0].Time, nil
}

// SandboxSales returns the storage of the sales of the sandbox.
func SandboxSales(store *sqlstore.Store) commerce.SandboxSales { return sandboxSales{store} }

type sandboxSales struct{ store *sqlstore.Store }

// Get reads the content of a sale, and its version; 0 for none.
func (d sandboxSales) Get(ctx context.Context, id string) (string, int64, error) {
	var found []struct {
		Content string `db:"content"`
		Version int64  `db:"version"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT content, version FROM sandbox_sales WHERE id = ?`, id)
	if err != nil || len(found) == 0 {
		return "", 0, sqlstore.Wrap("read a sale of the sandbox", err)
	}
	open := d.store.RowOpener("sandbox_sales", id)
	return open.Value("content", found[0].Content), found[0].Version, open.Err
}

// Put stores the content of a sale that was read at a version, and reports whether it had that version.
func (d sandboxSales) Put(ctx context.Context, id, content string, version int64) (stored bool, err error) {
	sealed := d.store.RowSealer("sandbox_sales", id)("content", content)
	err = d.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		n, err := tx.Write(ctx, "sandbox_sales", sqlstore.Row{{"id", id}}, sqlstore.Row{{"content", sealed}}, version)
		stored = n > 0
		return err
	})
	return stored, sqlstore.Wrap("store a sale of the sandbox", err)
}
