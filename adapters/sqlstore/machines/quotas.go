package machines

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// auditQuota is the quota of bytes of audit entries.
const auditQuota = "audit_bytes"

// Quotas returns the quotas of workspaces.
func Quotas(tx *sqlstore.Tx) machines.Quotas { return quotas{tx} }

type quotas struct{ tx *sqlstore.Tx }

// Apps counts the apps of a workspace under a lock of its row.
func (r quotas) Apps(ctx context.Context, org workspace.ID) (int, error) {
	return r.count(ctx, org, `SELECT COUNT(*) FROM apps WHERE org_id = ? AND origin = ''`, org.String())
}

// APIKeys counts the active API keys of a workspace under a lock of its row.
func (r quotas) APIKeys(ctx context.Context, org workspace.ID, now time.Time) (int, error) {
	counted := matchKeys(machines.APIKeyQuery{Org: org, Status: apikey.Active, Now: now})
	return r.count(ctx, org, `SELECT COUNT(*) FROM api_keys`+counted.String(), counted.Args...)
}

func (r quotas) count(ctx context.Context, org workspace.ID, text string, args ...any) (n int, err error) {
	var locked []string
	if err := r.tx.List(ctx, &locked, `SELECT id FROM workspaces WHERE id = ? {for update}`, org.String()); err != nil {
		return 0, fmt.Errorf("lock a workspace: %w", err)
	}
	if err := r.tx.Get(ctx, &n, text, args...); err != nil {
		return 0, fmt.Errorf("count what a workspace has: %w", err)
	}
	return n, nil
}

// Audited counts bytes of audit entries of today, and reports whether they were within the quota.
func (r quotas) Audited(ctx context.Context, org workspace.ID, size, most int, now time.Time) (bool, error) {
	return r.tx.Use(ctx, sqlstore.QuotaUse{
		Key: sqlstore.QuotaKey(auditQuota, org.String()) + now.UTC().Format("/2006-01-02"), Daily: true, Amount: size, Most: most,
	})
}
