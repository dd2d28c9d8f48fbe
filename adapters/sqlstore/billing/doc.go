// Package billing stores prices, coupons, customers, sales and payments, and the queues of calls to
// and events from payment processors.
package billing

// live is the condition that the workspace of a row is not deleted.
const live = `org_id IN (SELECT w.id FROM workspaces w WHERE w.deleted_at IS NULL)`

// current is the condition that a subscription has not ended. It must equal the condition of the
// partial index on subscriptions.
const current = `status NOT IN ('ended', 'incomplete')`
