package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Sellers returns the directory of sellers.
func Sellers(store *sqlstore.Store) commerce.Sellers { return sellers{store} }

type sellers struct{ store *sqlstore.Store }

// Superadmins reports whether a superadmin owns a workspace.
func (d sellers) Superadmins(ctx context.Context, org workspace.ID) (bool, error) {
	var found []string
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = ? AND u.superadmin AND {position}(m.grants, '"owner"') > 0 LIMIT 1`, org.String())
	if err != nil {
		return false, fmt.Errorf("look for a superadmin who owns a workspace: %w", err)
	}
	return len(found) > 0, nil
}

// Registered reports whether an enabled app of a workspace has registered an address.
func (d sellers) Registered(ctx context.Context, org workspace.ID, address string) (bool, error) {
	var found []string
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT a.id FROM app_redirects r JOIN apps a ON a.id = r.app_id
		WHERE r.url = ? AND a.org_id = ? AND a.enabled AND a.origin = '' AND a.registration = '' LIMIT 1`, address, org.String())
	if err != nil {
		return false, fmt.Errorf("look for a return address: %w", err)
	}
	return len(found) > 0, nil
}
