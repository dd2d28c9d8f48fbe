package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// ofMembers returns the conditions of a query in the table members. The words that name
// roles stand in the text, because an index is chosen by them.
func ofMembers(query people.UserQuery) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	f.Where("members.org_id = ?", query.Org.String())
	switch granted := query.Granted; {
	case granted == "":
	case granted == role.Owner:
		f.Where(`{position}(members.grants, '"owner"') > 0`)
	case granted == role.Admin:
		f.Where(`{position}(members.grants, '"admin"') > 0`)
	case strings.HasPrefix(granted, "rol_"):
		f.Where(`{position}(members.grants, '"rol_') > 0`)
		fallthrough
	default:
		f.Where("{position}(members.grants, ?) > 0", sqlstore.Quoted(granted))
	}
	return f
}

// MemberDirectory lists members for reading.
func MemberDirectory(store *sqlstore.Store) people.MemberDirectory {
	return memberDirectory{userDirectory{store}}
}

type memberDirectory struct{ users userDirectory }

// List reads pages of accounts with their memberships, until enough are members still
// and hold the role.
func (d memberDirectory) List(ctx context.Context, query people.MemberQuery) ([]people.Member, error) {
	query.Granted = query.Role
	var listed []people.Member
	for {
		accounts, err := d.users.List(ctx, query.UserQuery)
		if err != nil || len(accounts) == 0 {
			return listed, err
		}
		members, err := d.among(ctx, query, accounts)
		if err != nil {
			return nil, err
		}
		listed = append(listed, members...)
		if query.Limit <= 0 || len(accounts) < query.Limit {
			return listed, nil
		}
		if len(listed) >= query.Limit {
			return listed[:query.Limit], nil
		}
		query.Before = accounts[len(accounts)-1].ID
	}
}

// memberRow is the membership of a listed account.
type memberRow struct {
	workspaces.MemberRow

	UserID user.ID `db:"user_id"`
}

// among returns the memberships of those of the accounts that still have one as asked.
func (d memberDirectory) among(ctx context.Context, query people.MemberQuery, accounts []user.Snapshot) ([]people.Member, error) {
	ids := make(sqlstore.Rows, len(accounts))
	for i, one := range accounts {
		ids[i] = []any{one.ID.String()}
	}
	var found []memberRow
	err := d.users.store.Reader(ctx).List(ctx, &found, `
		SELECT user_id, `+workspaces.MemberColumns+` FROM members WHERE org_id = ? AND user_id {any user_id text}`, query.Org.String(), ids)
	if err != nil {
		return nil, fmt.Errorf("read the memberships of accounts: %w", err)
	}
	belonging := make(map[user.ID]memberRow, len(found))
	for _, one := range found {
		belonging[one.UserID] = one
	}
	var members []people.Member
	for _, account := range accounts {
		row, is := belonging[account.ID]
		if !is {
			continue
		}
		m, err := workspaces.RestoreMember(query.Org, account.ID, row.MemberRow)
		if err != nil {
			return nil, err
		}
		if query.Role == "" || slices.Contains(m.Roles(query.Now), query.Role) {
			members = append(members, people.Member{User: account, MemberSnapshot: m.Snapshot()})
		}
	}
	return members, nil
}
