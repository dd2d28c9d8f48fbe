package role

import (
	"slices"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

// MostDeep is how many steps of inheritance lead from a role to the furthest one that
// it inherits from.
const MostDeep = 8

// Errors of custom roles.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such role")
	ErrNameTaken = fault.Unfit("/name", "is already the name of a custom or built-in role")
	ErrTooMany   = fault.LimitReached("custom role", workspace.MaxRoles, "delete unused roles")
	ErrTooDeep   = fault.Unfit("/inherits", "makes the inheritance chain more than 8 roles deep")
)

type idKind struct{}

func (idKind) Prefix() string { return "rol" }

// ID identifies a custom role.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Snapshot is the stored state of a custom role.
type Snapshot struct {
	ID          ID `audit:"id"`
	OrgID       workspace.ID
	Name        workspace.Label `audit:"name"`
	Description string          `audit:"description"`
	// Permissions are those it grants by itself, in order.
	Permissions access.Permissions `audit:"permissions"`
	// Inherits are the keys of inherited roles.
	Inherits             []string `audit:"inherits"`
	CreatedAt, UpdatedAt time.Time
}

// Definition is a custom role of a workspace.
type Definition struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new role.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	Name        workspace.Label
	Description string
	Permissions access.Permissions
	Inherits    []string
}

// Define makes a custom role. That it fits the others of the workspace is for Book.With
// to say.
func Define(d Draft, now time.Time) *Definition {
	made := &Definition{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, Name: d.Name, Description: d.Description,
		Permissions: inOrder(d.Permissions), Inherits: inOrder(d.Inherits), CreatedAt: now, UpdatedAt: now,
	}}
	made.Track(&made.s)
	made.Raise(Created{RoleID: d.ID, OrgID: d.OrgID, Name: string(d.Name), Permissions: shown(made.s.Permissions)})
	return made
}

// Restore returns the role that was stored.
func Restore(s Snapshot, version int64) *Definition {
	d := &Definition{Root: aggregate.At(version), s: s}
	d.Track(&d.s)
	return d
}

// Snapshot returns the state to store.
func (d *Definition) Snapshot() Snapshot { return d.s }

// Change is a partial update of a role; nil fields stay unchanged.
type Change struct {
	Name        *workspace.Label
	Description *string
	Permissions access.Permissions
	Inherits    []string
}

// Update changes fields of the role. What stays the same raises nothing.
func (d *Definition) Update(c Change, now time.Time) {
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &d.s.Name, c.Name)
	aggregate.Put(&changed, "description", &d.s.Description, c.Description)
	aggregate.PutList(&changed, "permissions", (*[]string)(&d.s.Permissions), inOrder(c.Permissions))
	aggregate.PutList(&changed, "inherits", &d.s.Inherits, inOrder(c.Inherits))
	if changed == nil {
		return
	}
	d.s.UpdatedAt = now
	d.Raise(Updated{
		RoleID: d.s.ID, OrgID: d.s.OrgID, Name: string(d.s.Name), Permissions: shown(d.s.Permissions), Changed: changed,
	})
}

// Delete ends the role. It is for the store to remove it; replacement is the name of
// the role that its holders have from now on, or empty.
func (d *Definition) Delete(replacement string) {
	d.Raise(Deleted{RoleID: d.s.ID, OrgID: d.s.OrgID, Name: string(d.s.Name), ReplacedWith: replacement})
}

// inOrder returns the items of a list in order, each once; nil for nil alone.
func inOrder(list []string) []string {
	ordered := slices.Clone(list)
	slices.Sort(ordered)
	return slices.Compact(ordered)
}

func shown(permissions access.Permissions) []string { return append([]string{}, permissions...) }
