package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// ofMembers returns the conditions of a query in the table members. Conditions on roles are literals in the
// text, so that the partial index is used.
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

// List reads pages of members, until enough hold the role.
func (d memberDirectory) List(ctx context.Context, query people.MemberQuery) ([]people.Member, error) {
	query.Granted = query.Role
	var listed []people.Member
	for {
		members, read, err := d.page(ctx, query.UserQuery)
		if err != nil {
			return nil, fmt.Errorf("list members: %w", err)
		}
		for _, one := range members {
			if query.Role == "" || slices.Contains(workspace.LiveRoles(one.Grants, query.Now), query.Role) {
				listed = append(listed, one)
			}
		}
		switch {
		case query.Limit <= 0 || len(read) < query.Limit:
			return listed, nil
		case len(listed) >= query.Limit:
			return listed[:query.Limit], nil
		}
		query.Before = read[len(read)-1]
	}
}

// Count counts the members that match, at most the limit of the query. Roles may have ended, which only the members
// themselves tell.
func (d memberDirectory) Count(ctx context.Context, query people.MemberQuery) (int, error) {
	if query.Role == "" {
		return d.users.Count(ctx, query.UserQuery)
	}
	query.Before = ""
	holding, err := d.List(ctx, query)
	return len(holding), err
}

// page reads some members, and the ids of all accounts that it read to find them. A search by text reads
// accounts first, some of which may have left the workspace meanwhile.
func (d memberDirectory) page(ctx context.Context, query people.UserQuery) (members []people.Member, read []user.ID, err error) {
	searched := query.Text != ""
	if searched {
		accounts, err := d.users.List(ctx, query)
		if err != nil || len(accounts) == 0 {
			return nil, nil, err
		}
		for _, one := range accounts {
			read = append(read, one.ID)
		}
		query = people.UserQuery{Org: query.Org, Granted: query.Granted, Among: read}
	}
	f, possible := matchUsers(query)
	if !possible {
		return nil, nil, nil
	}
	var found []memberRow
	if err := d.users.page(ctx, &found, ", m.grants, m.joined_at", query, f); err != nil {
		return nil, nil, err
	}
	members = make([]people.Member, len(found))
	for i := range found {
		if members[i], err = d.member(query.Org, &found[i]); err != nil {
			return nil, nil, err
		}
		if !searched {
			read = append(read, members[i].User.ID)
		}
	}
	return members, read, nil
}

// memberRow is an account with its membership.
type memberRow struct {
	sqlstore.UserRow

	Grants   string           `db:"grants"`
	JoinedAt sqlstore.Instant `db:"joined_at"`
}

func (d memberDirectory) member(org workspace.ID, row *memberRow) (people.Member, error) {
	account, err := d.users.store.UserSnapshot(&row.UserRow)
	if err != nil {
		return people.Member{}, err
	}
	grants, err := sqlstore.GrantsOf(row.Grants)
	return people.Member{User: account, MemberSnapshot: workspace.MemberSnapshot{
		OrgID: org, UserID: account.ID, Grants: grants, JoinedAt: row.JoinedAt.Time,
	}}, err
}
