// Package billing stores what is sold and paid.
package billing

// live is the condition that the workspace whose they are was not deleted.
const live = `org_id IN (SELECT w.id FROM workspaces w WHERE w.deleted_at IS NULL)`
