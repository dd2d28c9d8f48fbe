package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// InvitationDirectory returns the directory of invitations.
func InvitationDirectory(store *sqlstore.Store) workspaces.InvitationDirectory {
	return invitationDirectory{store}
}

type invitationDirectory struct{ store *sqlstore.Store }

// Find returns one invitation.
func (d invitationDirectory) Find(ctx context.Context, id invitation.ID) (invitation.Snapshot, error) {
	found, err := oneInvitation(ctx, d.store.Reader(ctx), `id = ?`, id.String())
	if err != nil {
		return invitation.Snapshot{}, err
	}
	return found.snapshot(d.store)
}

// List reads a page of the invitations of a workspace.
func (d invitationDirectory) List(ctx context.Context, query workspaces.InvitationQuery) ([]invitation.Snapshot, error) {
	f, now := &sqlstore.Filter{}, sqlstore.At(query.Now)
	f.Where("org_id = ?", query.Org.String())
	switch query.Status {
	case "":
	case invitation.Pending:
		f.Where("ended = '' AND expires_at > ?", now)
	case invitation.Expired:
		f.Where("ended = '' AND expires_at <= ?", now)
	default:
		f.Where("ended = ?", string(query.Status))
	}
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []invitationRow
	err := d.store.Reader(ctx).Search(ctx, &found, `SELECT `+invitationColumns+` FROM invitations`+f.String()+
		` ORDER BY id DESC LIMIT ?`, append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	return sqlstore.Map(found, func(row *invitationRow) (invitation.Snapshot, error) { return row.snapshot(d.store) })
}

// Belongs reports whether the account with an email address is a member of a workspace.
func (d invitationDirectory) Belongs(ctx context.Context, org workspace.ID, address email.Address) (belongs bool, err error) {
	err = d.store.Reader(ctx).Get(ctx, &belongs, `SELECT EXISTS (
		SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ? WHERE u.email_index = ?)`,
		org.String(), d.store.EmailIndex(address))
	if err != nil {
		return false, fmt.Errorf("look for a member by an address: %w", err)
	}
	return belongs, nil
}

// Sponsor reads the owners in the order of their accounts. An index finds those that name the
// role.
func (d invitationDirectory) Sponsor(ctx context.Context, org workspace.ID) (user.ID, error) {
	var found []struct {
		ID     user.ID `db:"user_id"`
		Grants string  `db:"grants"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `
		SELECT m.user_id, m.grants FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = ? AND {position}(m.grants, '"owner"') > 0 AND u.email_verified ORDER BY m.user_id`, org.String())
	if err != nil {
		return "", fmt.Errorf("look for a verified owner of a workspace: %w", err)
	}
	for _, one := range found {
		if owns, err := owners([]string{one.Grants}); err != nil || owns > 0 {
			return one.ID, err
		}
	}
	return "", nil
}
