package role

import (
	"regexp"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// maxOwn is how many characters an own permission has at most: tokens carry them.
const maxOwn = 64

// Errors of own permissions.
var (
	ErrNoPermission    = fault.New(fault.NotFound, "no such custom permission")
	ErrPermissionTaken = fault.Unfit("/permission", "is already defined in this workspace")
	ErrTooManyOwn      = fault.LimitReached("custom permission", workspace.MaxPermissions, "delete unused permissions")

	errOwn      = fault.New(fault.Validation, "must be resource:action in lower case, at most 64 characters, such as docs:write; the action can be *")
	errResource = fault.New(fault.Validation, "uses the name of a built-in resource: choose another resource name")
)

// ownPattern is the form of an own permission.
const ownPattern = `^[a-z0-9][a-z0-9_.-]*:([a-z0-9][a-z0-9_.-]*|\*)$`

var ownForm = regexp.MustCompile(ownPattern)

// OwnName is the name of a permission that a workspace defines for its own application.
type OwnName string

// UnmarshalText reads a name. It fails with a validation fault, also where the resource
// is one of this service's.
func (n *OwnName) UnmarshalText(text []byte) error {
	if len(text) > maxOwn || !ownForm.Match(text) {
		return errOwn
	}
	resource, _, _ := strings.Cut(string(text), ":")
	for _, p := range access.Catalog() {
		if known, _, _ := strings.Cut(p.Name, ":"); known == resource {
			return errResource
		}
	}
	*n = OwnName(text)
	return nil
}

// SchemaFragment describes the name in a JSON Schema.
func (OwnName) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "maxLength": maxOwn, "pattern": ownPattern, "examples": []any{"docs:write"}}
}

// OwnSnapshot is the stored state of an own permission.
type OwnSnapshot struct {
	OrgID       workspace.ID
	Name        OwnName `audit:"id"`
	Description string  `audit:"description"`
	CreatedAt   time.Time
}

// Own is a permission of a workspace's own.
type Own struct {
	aggregate.Root
	s OwnSnapshot
}

// Invent makes an own permission.
func Invent(s OwnSnapshot) *Own {
	o := &Own{s: s}
	o.Track(&o.s)
	o.Raise(PermissionCreated{OrgID: s.OrgID, Permission: string(s.Name)})
	return o
}

// RestoreOwn returns the permission that was stored.
func RestoreOwn(s OwnSnapshot, version int64) *Own {
	o := &Own{Root: aggregate.At(version), s: s}
	o.Track(&o.s)
	return o
}

// Snapshot returns the state to store.
func (o *Own) Snapshot() OwnSnapshot { return o.s }

// Delete ends the permission. It is for the store to remove it.
func (o *Own) Delete() {
	o.Raise(PermissionDeleted{OrgID: o.s.OrgID, Permission: string(o.s.Name)})
}
