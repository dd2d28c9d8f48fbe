package access

import (
	"time"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Caller is who stands behind a request, as the store knew it at the request's
// own moment. The zero caller is anonymous.
type Caller struct {
	User        user.ID
	Session     session.ID
	Org         workspace.ID
	Roles       []string
	Permissions Permissions
	// Superadmin callers pass every permission check.
	Superadmin bool
	// Profile is the account as it was read with the credential.
	Profile user.Snapshot
	// AuthTime is when the person last proved presence.
	AuthTime time.Time
	// AMR is how (RFC 8176).
	AMR []string
	// ExpiresAt is the end of the credential that was presented.
	ExpiresAt time.Time
}

// Authenticated tells whether there is anybody behind the request.
func (c Caller) Authenticated() bool { return c.User != "" }

// May tells whether the caller holds a permission in the active workspace.
func (c Caller) May(permission string) bool {
	return c.Superadmin || c.Permissions.Cover(permission)
}
