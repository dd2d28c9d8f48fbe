package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Rights reads roles and permissions in workspaces.
type Rights interface {
	// Book returns everything that roles and groups grant in a workspace, as committed:
	// it excludes changes of the transaction around a command. It fails with
	// workspace.ErrNotFound.
	Book(ctx context.Context, org workspace.ID) (*role.Book, error)
	// BookWithin is like Book, but includes changes of the transaction around the
	// command, if there is one.
	BookWithin(ctx context.Context, org workspace.ID) (*role.Book, error)
	// Version returns the version of the committed book. It fails with
	// workspace.ErrNotFound.
	Version(ctx context.Context, org workspace.ID) (int64, error)
	// Holding returns the roles of a member, and whether the account may be used. It
	// fails with workspace.ErrNotMember.
	Holding(ctx context.Context, org workspace.ID, person user.ID) (Member, error)
	// Holders returns members who have some of the roles or groups, sorted by ID. Roles
	// of some of them may have expired.
	Holders(ctx context.Context, query HolderQuery) ([]Member, error)
	// Members returns the members of a workspace after one, sorted by ID.
	Members(ctx context.Context, org workspace.ID, after user.ID, limit int) ([]Member, error)
}

// Member is a member of a workspace, with everything that determines their permissions.
type Member struct {
	User user.ID
	role.MemberGrants
	Availability user.Availability
	Superadmin   bool
}

// HolderQuery narrows a list of members.
type HolderQuery struct {
	Org      workspace.ID
	Carriers role.Carriers
	// After is the last ID of the previous page.
	After user.ID
	Limit int
}

// Books reads roles in order to change them, inside a unit of work.
type Books interface {
	// Hold returns the book of a workspace, and blocks concurrent changes of roles and
	// groups there until the transaction ends. It fails with workspace.ErrNotFound.
	Hold(ctx context.Context, org workspace.ID) (*role.Book, error)
	// Holding returns the roles of a member. It fails with workspace.ErrNotMember.
	Holding(ctx context.Context, org workspace.ID, person user.ID) (Member, error)
}

// Roles stores custom roles, inside a unit of work that holds their book. Changes take
// effect on every replica with the next request.
type Roles interface {
	// ByID returns a role of a workspace. It fails with role.ErrNotFound.
	ByID(ctx context.Context, org workspace.ID, id role.ID) (*role.Definition, error)
	// Save stores a role. It fails with role.ErrNameTaken.
	Save(ctx context.Context, d *role.Definition) error
	Delete(ctx context.Context, d *role.Definition) error
	// Used reports whether a role is held by a member, granted by a group or another
	// role, the default for new members or for people of a domain, or offered by an
	// open invitation.
	Used(ctx context.Context, org workspace.ID, key string, now time.Time) (bool, error)
	// Replace replaces a role by another everywhere, and returns how many members held
	// it.
	Replace(ctx context.Context, org workspace.ID, from, to string) (int, error)
	// Withdraw removes a permission from all roles, and returns how many had it.
	Withdraw(ctx context.Context, org workspace.ID, permission string) (int, error)
}

// OwnPermissions stores permissions defined by workspaces, inside a unit of work that
// holds their book.
type OwnPermissions interface {
	// ByName returns a permission. It fails with role.ErrNoPermission.
	ByName(ctx context.Context, org workspace.ID, name role.OwnName) (*role.Own, error)
	// Save stores a permission. It fails with role.ErrPermissionTaken.
	Save(ctx context.Context, o *role.Own) error
	Delete(ctx context.Context, o *role.Own) error
}

// PermissionDirectory reads permissions defined by workspaces, outside any transaction.
type PermissionDirectory interface {
	// List returns the permissions of a workspace, sorted by name.
	List(ctx context.Context, org workspace.ID) ([]access.Permission, error)
}
