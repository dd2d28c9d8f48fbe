package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Accounts looks accounts up for a login.
func (s *Store) Accounts() outbound.Accounts { return accounts{s} }

type accounts struct{ store *Store }

// ForLogin finds an account with its password's hash.
func (r accounts) ForLogin(ctx context.Context, address email.Address) (outbound.LoginAccount, bool, error) {
	var found []struct {
		ID   user.ID `db:"id"`
		Hash string  `db:"hash"`
	}
	err := r.store.reader(ctx).list(ctx, &found, `
		SELECT u.id, COALESCE(c.hash, '') AS hash FROM users u LEFT JOIN credentials c ON c.user_id = u.id
		WHERE u.email_index = ?`, r.store.emailIndex(address))
	if err != nil {
		return outbound.LoginAccount{}, false, fmt.Errorf("find an account for a login: %w", err)
	}
	if len(found) == 0 {
		return outbound.LoginAccount{}, false, nil
	}
	return outbound.LoginAccount{UserID: found[0].ID, Hash: found[0].Hash}, true, nil
}

// Memberships lists the workspaces of a user, the personal one first, then in the
// order of joining.
func (r accounts) Memberships(ctx context.Context, person user.ID) ([]outbound.Membership, error) {
	var found []struct {
		workspaceRow
		Grants   string  `db:"grants"`
		JoinedAt instant `db:"joined_at"`
	}
	err := r.store.reader(ctx).list(ctx, &found, `
		SELECT w.id, w.name, w.personal_of, w.created_at, w.version, m.grants, m.joined_at
		FROM members m JOIN workspaces w ON w.id = m.org_id
		WHERE m.user_id = ? ORDER BY COALESCE(w.personal_of = m.user_id, FALSE) DESC, m.joined_at, w.id`, person.String())
	if err != nil {
		return nil, fmt.Errorf("list the memberships of a user: %w", err)
	}
	memberships := make([]outbound.Membership, len(found))
	for i := range found {
		grants, err := decodeList[workspace.Grant](found[i].Grants)
		if err != nil {
			return nil, fmt.Errorf("decode the roles of a member: %w", err)
		}
		memberships[i] = outbound.Membership{Org: found[i].snapshot(), Grants: grants, JoinedAt: found[i].JoinedAt.Time}
	}
	return memberships, nil
}
