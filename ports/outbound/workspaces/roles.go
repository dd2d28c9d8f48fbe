package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Rights reads what is granted in workspaces.
type Rights interface {
	// Book reads all that roles and groups grant in a workspace, at one moment, as it is
	// committed: also under the transaction around a command it shows nothing of that. It
	// fails with workspace.ErrNotFound.
	Book(ctx context.Context, org workspace.ID) (*role.Book, error)
	// BookWithin is Book as it is within the transaction around the command, if there is one.
	BookWithin(ctx context.Context, org workspace.ID) (*role.Book, error)
	// Version returns that of the committed book of a workspace; it fails with workspace.ErrNotFound.
	Version(ctx context.Context, org workspace.ID) (int64, error)
	// Holding reads what a member was given, and whether their account may be used. It
	// fails with workspace.ErrNotMember.
	Holding(ctx context.Context, org workspace.ID, person user.ID) (Member, error)
	// Holders lists members who are in some of the carriers, in the order of their ids.
	// Some of them may hold nothing by it any more: a role may have ended.
	Holders(ctx context.Context, query HolderQuery) ([]Member, error)
	// Members lists the members of a workspace that come after one, in the order of their
	// ids.
	Members(ctx context.Context, org workspace.ID, after user.ID, limit int) ([]Member, error)
}

// Member is a member of a workspace with what decides what they may do there.
type Member struct {
	User user.ID
	role.Holding
	Availability user.Availability
	Superadmin   bool
}

// HolderQuery narrows a list of members.
type HolderQuery struct {
	Org      workspace.ID
	Carriers role.Carriers
	// After is the last id of the page before.
	After user.ID
	Limit int
}

// Books reads roles to give, take or change them, inside a unit of work.
type Books interface {
	// Hold reads the book of a workspace and holds off everybody else who gives, takes or
	// changes roles or groups there until the unit of work ends. It fails with
	// workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) (*role.Book, error)
	// Holding reads what a member was given; it fails with workspace.ErrNotMember.
	Holding(ctx context.Context, org workspace.ID, person user.ID) (Member, error)
}

// Roles stores custom roles, inside a unit of work that holds their book. Whatever it
// changes holds on every replica from the next request on.
type Roles interface {
	// ByID fails with role.ErrNotFound, also for a role of another workspace.
	ByID(ctx context.Context, org workspace.ID, id role.ID) (*role.Definition, error)
	// Save fails with role.ErrNameTaken.
	Save(ctx context.Context, d *role.Definition) error
	Delete(ctx context.Context, d *role.Definition) error
	// Used reports whether a member holds a role, a group or another role grants it, new
	// members of the workspace or people of a domain get it, or an open invitation offers it.
	Used(ctx context.Context, org workspace.ID, key string, now time.Time) (bool, error)
	// Replace puts one role in the place of another wherever that is named, and returns
	// how many members held it.
	Replace(ctx context.Context, org workspace.ID, from, to string) (int, error)
	// Withdraw takes a permission from the roles that carry it, and returns how many did.
	Withdraw(ctx context.Context, org workspace.ID, permission string) (int, error)
}

// OwnPermissions stores the permissions that workspaces define, inside a unit of work
// that holds their book.
type OwnPermissions interface {
	// ByName fails with role.ErrNoPermission.
	ByName(ctx context.Context, org workspace.ID, name role.OwnName) (*role.Own, error)
	// Save fails with role.ErrPermissionTaken.
	Save(ctx context.Context, o *role.Own) error
	Delete(ctx context.Context, o *role.Own) error
}

// PermissionDirectory lists own permissions for reading, outside any transaction.
type PermissionDirectory interface {
	// List returns those of a workspace, in the order of their names.
	List(ctx context.Context, org workspace.ID) ([]access.Permission, error)
}
