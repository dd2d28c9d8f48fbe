package postgres_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Lists of what was sold read few rows beside those of the page, whatever they are narrowed by,
// and however few of how many are looked for.
func TestPlansOfSales(t *testing.T) {
	t.Parallel()
	now := planTime()
	const seller = workspace.ID("org_1")
	for mode, e := range planned(t, func(e *explained) { e.fillSales(t, now) }) {
		type query = commerce.SaleQuery
		yes, no := true, false
		sales := billingstore.SaleDirectory(e.Store)
		subscriptions, invoices := counted(sales.Subscriptions), counted(sales.Invoices)
		payments, refunds := counted(sales.Payments), counted(sales.Refunds)
		processorEvents := func(q commerce.ProcessorEventQuery) func(context.Context, query) (int, error) {
			return func(ctx context.Context, _ query) (int, error) {
				q.Limit = 21
				return lengthOf(billingstore.ProcessorEventDirectory(e.Store).List(ctx, q))
			}
		}
		for _, c := range []struct {
			what  string
			list  func(context.Context, query) (int, error)
			query query
			index string
			found int
		}{
			{"subscriptions", subscriptions, query{Seller: seller, Current: true}, "subscriptions_current", 8},
			{"subscriptions in a state", subscriptions, query{Seller: seller, Status: "past_due"}, "subscriptions_", 8},
			{"subscriptions that ended", subscriptions, query{Seller: seller, Status: "ended"}, "subscriptions_", 21},
			{"invoices", invoices, query{Seller: seller}, "invoices_", 21},
			{"open invoices", invoices, query{Seller: seller, Status: "open"}, "invoices_org_status", 8},
			{"invoices until a time", invoices, query{Seller: seller, Until: idOf("inv", 10_001)}, "invoices_", 21},
			{"payments", payments, query{Seller: seller}, "payments_", 21},
			{"payments that failed", payments, query{Seller: seller, Status: "failed"}, "payments_org_status", 8},
			{"payments of a customer", payments, query{Seller: seller, Customer: "cus_70"}, "payments_customer_id", 10},
			{"disputed payments", payments, query{Seller: seller, Disputed: &yes}, "payments_disputed", 8},
			{"other payments", payments, query{Seller: seller, Disputed: &no}, "payments_", 21},
			{"refunds", refunds, query{Seller: seller}, "refunds_", 21},
			{"refunds that wait", refunds, query{Seller: seller, Status: "pending"}, "refunds_org_status", 8},
			{"events that failed", processorEvents(commerce.ProcessorEventQuery{Org: seller, Status: "failed"}), query{}, "processor_events_org_status", 8},
			{"all events that failed", processorEvents(commerce.ProcessorEventQuery{All: true, Status: "failed"}), query{}, "processor_events_status", 8},
			{"events of a type", processorEvents(commerce.ProcessorEventQuery{Org: seller, Type: "rare"}), query{}, "processor_events_org_kind", 8},
			{"all events of a type", processorEvents(commerce.ProcessorEventQuery{All: true, Type: "rare"}), query{}, "processor_events_kind", 8},
		} {
			c.query.Limit = 21
			plan := e.finding(t, c.found, func(ctx context.Context) (int, error) { return c.list(ctx, c.query) })
			if !strings.Contains(plan, c.index) || strings.Contains(plan, "Seq Scan") || most(plan) > 100 || thrown(plan) > 100 {
				t.Errorf("%s, %s: want %s, and few rows:\n%s", c.what, mode, c.index, plan)
			}
		}
	}
}

// most is the largest number of rows that one step of a plan returned.
func most(plan string) int {
	largest := 0
	for _, found := range regexp.MustCompile(`actual rows=(\d+)`).FindAllStringSubmatch(plan, -1) {
		n, _ := strconv.Atoi(found[1])
		largest = max(largest, n)
	}
	return largest
}

// counted is a list that is only counted.
func counted[S any](list func(context.Context, commerce.SaleQuery) ([]S, error)) func(context.Context, commerce.SaleQuery) (int, error) {
	return func(ctx context.Context, query commerce.SaleQuery) (int, error) { return lengthOf(list(ctx, query)) }
}

func lengthOf[S any](found []S, err error) (int, error) { return len(found), err }

// idOf is the identifier of a row that fillSales stored.
func idOf(prefix string, n int) string { return fmt.Sprintf("%s_%025d", prefix, n) }

// fillSales stores 40,000 of each kind, of which one workspace sold every other one. The oldest
// eight are in a state that the others are not in; each customer has ten of a seller.
func (e *explained) fillSales(t *testing.T, now time.Time) {
	t.Helper()
	e.exec(t, `INSERT INTO workspaces (id, name, personal_of, created_at, version) SELECT 'org_' || i, '', NULL, $1, 1 FROM generate_series(1, 8000) AS i`, now)
	const sale = `checkout_id, org_id, product_id, customer_id, processor, mode, processor_id, fact_at, created_at, version`
	const values = `'chk_' || i, CASE WHEN i % 2 = 0 OR i < 8 THEN 'org_1' ELSE 'org_2' END, 'prd_1', 'cus_' || i % 4000, 'stripe', 'live', 'remote_' || i, $1, $1, 1`
	for _, one := range []struct{ table, prefix, columns, values string }{
		{"subscriptions", "sub", "price_id, quantity, reason, discount, status", `'prc_1', 1, '', '{}', CASE WHEN i < 8 THEN 'past_due' ELSE 'ended' END`},
		{"invoices", "inv", "number, currency, subtotal, discount, tax, total, lines, status", `'', 'EUR', 1, 0, 0, 1, '[]', CASE WHEN i < 8 THEN 'open' ELSE 'paid' END`},
		{"payments", "pay", "invoice, currency, amount, failure, dispute, status", `'', 'EUR', 1, '', CASE WHEN i < 8 THEN 'lost' ELSE '' END, CASE WHEN i < 8 THEN 'failed' ELSE 'succeeded' END`},
		{"refunds", "ref", "payment, currency, amount, reason, failure, status", `'', 'EUR', 1, '', '', CASE WHEN i < 8 THEN 'pending' ELSE 'succeeded' END`},
	} {
		e.exec(t, `SET session_replication_role = replica; INSERT INTO `+one.table+` (id, `+sale+`, `+one.columns+`)
			SELECT '`+one.prefix+`_' || lpad(i::text, 25, '0'), `+strings.ReplaceAll(values, "$1", "'"+now.Format(time.RFC3339)+"'")+`, `+one.values+` FROM generate_series(0, 39999) AS i; RESET session_replication_role`)
	}
	e.exec(t, `INSERT INTO processor_events (id, processor, mode, event_id, org_id, facts, reason, attempts, received_at, purge_at, kind, status)
		SELECT 'pev_' || lpad(i::text, 25, '0'), 'stripe', 'live', i::text, CASE WHEN i % 2 = 0 OR i < 8 THEN 'org_1' ELSE 'org_2' END, '[]', '', 1, $1, $1,
			CASE WHEN i < 8 THEN 'rare' ELSE 'common_' || i % 40 END, CASE WHEN i < 8 THEN 'failed' ELSE 'applied' END FROM generate_series(0, 39999) AS i`, now)
	e.exec(t, `VACUUM (ANALYZE) workspaces, subscriptions, invoices, payments, refunds, processor_events`)
}
