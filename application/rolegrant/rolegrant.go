// Package rolegrant implements the rules of all commands that grant or remove roles
// (contract section 7, spec/workspaces.md section 4): nobody grants, removes or changes
// a role with more permissions than they have, nobody removes or demotes a person with
// more permissions, and at least one owner remains.
//
// A change that affects many members at once, such as the deletion of a group, is
// judged by the permissions of the role, not by each member.
package rolegrant

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Errors of callers with too few permissions.
var (
	// ErrExceeds is returned for a role that grants more than its giver or taker holds.
	ErrExceeds = fault.New(fault.Denied, "you can only assign, remove or change a role if you hold every permission it grants")
	// ErrOutranked is returned for a change of a person with more permissions than the
	// caller.
	ErrOutranked = fault.New(fault.Denied, "you cannot remove or demote a member who holds permissions that you do not hold")
)

// Hold returns the roles of a workspace for a caller who is to change some, and blocks
// concurrent changes until the transaction ends. It fails with workspace.ErrNotFound if
// the caller may not see the workspace.
func Hold(ctx context.Context, books workspaces.Books, caller access.Caller, org workspace.ID) (*role.Book, error) {
	if !caller.Sees(org) {
		return nil, workspace.ErrNotFound
	}
	return books.Hold(ctx, org)
}

// Allow returns a role by name if the caller may grant it in a workspace, and blocks
// concurrent changes of roles until the transaction ends. It fails like Hold, with
// role.ErrUnknown, and with ErrExceeds if the role has more permissions than the
// caller. Superadmins may grant every role in every workspace.
func Allow(ctx context.Context, books workspaces.Books, caller access.Caller, org workspace.ID, name string) (role.Role, error) {
	book, err := Hold(ctx, books, caller, org)
	if err != nil {
		return role.Role{}, err
	}
	return AllowIn(book, caller, name)
}

// AllowIn is Allow for a role of a book that is held.
func AllowIn(book *role.Book, caller access.Caller, name string) (role.Role, error) {
	wanted, err := book.Named(name)
	if err == nil {
		err = Covers(caller, wanted.Permissions)
	}
	return wanted, err
}

// AllowAll is Allow for several roles of a book that is held; a complaint is about the
// list at a path of the parameters.
func AllowAll(caller access.Caller, book *role.Book, names []string, path string) ([]workspace.RoleRef, error) {
	wanted := make([]workspace.RoleRef, 0, len(names))
	for i, name := range names {
		found, err := book.Named(name)
		if err != nil {
			return nil, fault.Unfit(fmt.Sprintf("%s/%d", path, i), "is not a role of the workspace: list roles with ROLE.LIST")
		}
		if err := Covers(caller, found.Permissions); err != nil {
			return nil, err
		}
		wanted = append(wanted, found.Ref())
	}
	return wanted, nil
}

// Covers fails with ErrExceeds when a caller does not hold all of some permissions.
func Covers(caller access.Caller, permissions access.Permissions) error {
	if caller.Superadmin || caller.Permissions.CoverAll(permissions) {
		return nil
	}
	return ErrExceeds
}

// Touch fails with ErrOutranked if another member has more permissions in a workspace
// than the caller, who may then neither remove them nor take any role from them.
func Touch(caller access.Caller, book *role.Book, m workspaces.Member, now time.Time) error {
	if m.User == caller.User || Covers(caller, book.Standing(m.MemberGrants, now).Permissions) == nil {
		return nil
	}
	return ErrOutranked
}

// Disown fails with workspace.ErrPersonal or workspace.ErrLastOwner when a member has
// to stay an owner for good.
func Disown(ctx context.Context, workspaces workspaces.Workspaces, m *workspace.Member) error {
	w, err := workspaces.ByID(ctx, m.Snapshot().OrgID)
	if err != nil {
		return err
	}
	if w.Snapshot().PersonalOf == m.Snapshot().UserID {
		return workspace.ErrPersonal
	}
	return Leave(ctx, workspaces, m)
}

// Leave fails with workspace.ErrLastOwner if a member is the only permanent owner of
// the workspace. It blocks concurrent calls for the workspace until the transaction
// ends, so that the last two owners cannot leave at the same time.
func Leave(ctx context.Context, workspaces workspaces.Workspaces, m *workspace.Member) error {
	if !m.HoldsForGood(role.Owner) {
		return nil
	}
	others, err := workspaces.OtherOwners(ctx, m.Snapshot().OrgID, m.Snapshot().UserID)
	if err == nil && others == 0 {
		return workspace.ErrLastOwner
	}
	return err
}
