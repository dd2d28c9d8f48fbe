package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// Accounts returns the directory that looks up accounts for a sign-in.
func Accounts(store *sqlstore.Store) people.Accounts { return accounts{store} }

type accounts struct{ store *sqlstore.Store }

// loginQuery selects the account, and each format of password hashes that is stored, by one seek of the index
// each.
const loginQuery = `
WITH RECURSIVE forms (form) AS (
	SELECT MIN(form) FROM credentials WHERE form > ''
	UNION ALL
	SELECT (SELECT MIN(c.form) FROM credentials c WHERE c.form > '' AND c.form > forms.form) FROM forms WHERE forms.form IS NOT NULL
)
SELECT '' AS id, '' AS hash, form FROM forms WHERE form IS NOT NULL
UNION ALL SELECT u.id, COALESCE(c.hash, ''), '' FROM users u LEFT JOIN credentials c ON c.user_id = u.id WHERE u.email_index = ?`

// ForLogin finds an account with the hash of its password.
func (r accounts) ForLogin(ctx context.Context, address email.Address) (people.LoginAccount, bool, error) {
	var found []struct {
		ID   user.ID `db:"id"`
		Hash string  `db:"hash"`
		Form string  `db:"form"`
	}
	if err := r.store.Reader(ctx).List(ctx, &found, loginQuery, r.store.EmailIndex(address)); err != nil {
		return people.LoginAccount{}, false, fmt.Errorf("find an account for a login: %w", err)
	}
	var account people.LoginAccount
	for _, row := range found {
		if row.Form != "" {
			account.Forms = append(account.Forms, row.Form)
			continue
		}
		account.UserID, account.Hash = row.ID, row.Hash
	}
	return account, account.UserID != "", nil
}

// Standing reports whether a user has a password, and returns the name of a workspace.
func (r accounts) Standing(ctx context.Context, person user.ID, org workspace.ID) (people.CallerDetails, error) {
	var found struct {
		HasPassword bool   `db:"has_password"`
		Workspace   string `db:"workspace"`
	}
	err := r.store.Reader(ctx).Get(ctx, &found, `
		SELECT EXISTS (SELECT 1 FROM credentials WHERE user_id = ? AND hash <> '') AS has_password,
		COALESCE((SELECT name FROM workspaces WHERE id = ? AND deleted_at IS NULL), '') AS workspace`, person.String(), org.String())
	if err != nil {
		return people.CallerDetails{}, fmt.Errorf("read the standing of a caller: %w", err)
	}
	return people.CallerDetails(found), nil
}

// Memberships lists the workspaces of a user, the personal one first, then in the
// order of joining.
func (r accounts) Memberships(ctx context.Context, person user.ID) ([]people.Membership, error) {
	var found []struct {
		workspaces.WorkspaceRow
		Grants   string           `db:"grants"`
		JoinedAt sqlstore.Instant `db:"joined_at"`
	}
	err := r.store.Reader(ctx).List(ctx, &found, `
		SELECT `+sqlstore.Qualified("w", workspaces.WorkspaceColumns)+`, m.grants, m.joined_at
		FROM members m JOIN workspaces w ON w.id = m.org_id
		WHERE m.user_id = ? AND w.deleted_at IS NULL ORDER BY COALESCE(w.personal_of = m.user_id, FALSE) DESC, m.joined_at, w.id`, person.String())
	if err != nil {
		return nil, fmt.Errorf("list the memberships of a user: %w", err)
	}
	memberships := make([]people.Membership, len(found))
	for i := range found {
		grants, err := sqlstore.DecodeList[workspace.Grant](found[i].Grants)
		if err != nil {
			return nil, fmt.Errorf("decode the roles of a member: %w", err)
		}
		org, err := found[i].Snapshot(r.store)
		if err != nil {
			return nil, err
		}
		memberships[i] = people.Membership{Org: org, Grants: grants, JoinedAt: found[i].JoinedAt.Time}
	}
	return memberships, nil
}
