// Package billing stores what is sold and paid.
package billing

// live is the condition that the workspace whose they are was not deleted.
const live = `org_id IN (SELECT w.id FROM workspaces w WHERE w.deleted_at IS NULL)`

// current is the condition on the rows of subscriptions that last; an index has it word for word.
const current = `status NOT IN ('ended', 'incomplete')`
