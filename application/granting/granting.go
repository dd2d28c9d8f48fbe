// Package granting holds the rules about roles that every command keeps which gives
// or takes one, whatever else it does (contract section 7, spec/workspaces.md section 4):
// nobody gives, takes or changes a role that grants more than they hold, nobody removes or
// demotes who holds more than they do, and one owner stays.
//
// What takes a role from many at once, such as the deletion of a group, is judged by what
// the role grants, not by each who held it.
package granting

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

// Errors of those who hold too little.
var (
	// ErrExceeds refuses a role that grants more than its giver or taker holds.
	ErrExceeds = fault.New(fault.Denied, "a role may be given, taken or changed only by one who holds all it grants")
	// ErrOutranked refuses to touch who holds more than the caller.
	ErrOutranked = fault.New(fault.Denied, "who holds more than you do in the workspace can neither be removed nor demoted by you")
)

// Hold reads the roles of a workspace for a caller who is to give, take or change some,
// and holds off everybody else who does until the unit of work ends. It fails with
// workspace.ErrNotFound when the workspace is not the caller's to see.
func Hold(ctx context.Context, books workspaces.Books, caller access.Caller, org workspace.ID) (*role.Book, error) {
	if !caller.Sees(org) {
		return nil, workspace.ErrNotFound
	}
	return books.Hold(ctx, org)
}

// Allow returns the role of a name when a caller may give or take it in a workspace, and
// holds off whoever changes roles there until the unit of work ends. It fails like Hold,
// with role.ErrUnknown, and with ErrExceeds when the role grants more than they hold.
// A superadmin may give every role in every workspace.
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
			return nil, fault.Unfit(fmt.Sprintf("%s/%d", path, i), "is no role of the workspace; ROLE.LIST lists them")
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

// Touch fails with ErrOutranked when somebody else holds more in a workspace than a
// caller, who may then neither remove them nor take anything from them.
func Touch(caller access.Caller, book *role.Book, m workspaces.Member, now time.Time) error {
	if m.User == caller.User || Covers(caller, book.Standing(m.Holding, now).Permissions) == nil {
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

// Leave fails with workspace.ErrLastOwner when a member is the only one who owns the
// workspace for good. It holds off everybody who asks the same of the workspace until
// the unit of work ends, so of two owners who leave at once one stays.
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
